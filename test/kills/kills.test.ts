import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { killDuringCheckouts } from './kills.ts'

/** This test kills the shop once, during few checkouts. `npm run kills` uses the constants in kills.ts. */
const KILLS = 1
const LANES = 3
const OFFICE_LANES = 1
const TIMEOUT_MS = 300_000

it.skipIf(!existsSync('dist/server/wrangler.json'))(
  'the shop never loses, duplicates or truncates an order when it is killed during checkouts',
  async () => {
    const { problems, ...counts } = await killDuringCheckouts({
      kills: KILLS,
      lanes: LANES,
      officeLanes: OFFICE_LANES,
    })
    console.info(JSON.stringify(counts))
    expect(problems).toEqual([])
    expect(counts.orders).toBe(counts.keys)
    expect(counts.orders).toBeGreaterThan(0)
    expect(counts.lostAnswers).toBeGreaterThan(KILLS)
  },
  TIMEOUT_MS,
)
