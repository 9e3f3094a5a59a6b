import { METRICS, readSpeed, SPEED_DAYS } from '#server/reports/visits.ts'
import type { ShopCommand } from './shop-command.ts'
import { table } from './table.ts'

type PageSpeed = Awaited<ReturnType<typeof readSpeed>>[number]

const HEADINGS = { lcp: 'LCP, ms', inp: 'INP, ms', cls: 'CLS', hydration: 'Hydration, ms' }

export const pageSpeed: ShopCommand = {
  usage: 'speed',
  summary: `page speed (75th percentile) over the last ${SPEED_DAYS} days`,
  words: [0, 0],
  async run(_input, context) {
    const pages = await readSpeed(context)
    const text = table(
      pages,
      {
        Page: ({ page }) => page,
        Visits: ({ visits }) => visits,
        ...Object.fromEntries(
          METRICS.map((metric) => [HEADINGS[metric], (row: PageSpeed) => row[metric] ?? '-']),
        ),
      },
      'No page speeds reported yet.',
    )
    return { text, json: pages }
  },
}
