import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { freePort } from '../ports.ts'
import { killDuringCheckouts } from './kills.ts'

/** `npm run kills` kills the shop a hundred times, with twice as many checkouts under way. */
const KILLS = 1
const LANES = 3
const TIMEOUT_MS = 300_000

it.skipIf(!existsSync('dist/server/wrangler.json'))(
  'no order is lost, duplicated or incomplete when the shop is killed during checkouts',
  async () => {
    const { problems, ...counts } = await killDuringCheckouts({
      kills: KILLS,
      lanes: LANES,
      port: await freePort(),
    })
    console.info(JSON.stringify(counts))
    expect(problems).toEqual([])
    expect(counts.orders).toBe(counts.keys)
    expect(counts.units).toBeGreaterThan(0)
    expect(counts.lostAnswers).toBeGreaterThan(KILLS)
  },
  TIMEOUT_MS,
)
