import { METRICS, readSpeed, SPEED_DAYS } from '#server/reports/visits.ts'
import type { ShopCommand } from './shop-command.ts'
import { table } from './table.ts'

export const pageSpeed: ShopCommand = {
  usage: 'speed',
  summary: `page speed (75th percentile) over the last ${SPEED_DAYS} days`,
  words: [0, 0],
  async run(_input, context) {
    const pages = await readSpeed(context)
    const text = table(
      pages,
      [
        { heading: 'Page', text: ({ page }) => page },
        { heading: 'Visits', text: ({ visits }) => visits, isFigure: true },
        ...METRICS.map((metric) => ({
          heading:
            metric === 'cls' ? 'CLS' : `${metric === 'hydration' ? 'Hydration' : metric.toUpperCase()}, ms`,
          text: (speed: (typeof pages)[number]) => speed[metric] ?? '-',
          isFigure: true,
        })),
      ],
      'No page speeds reported yet.',
    )
    return { text, json: pages }
  },
}
