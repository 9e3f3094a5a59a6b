import { existsSync } from 'node:fs'
import { expect, it } from 'vitest'
import { freePort } from '../ports.ts'
import { killDuringCheckouts } from './kills.ts'

/** Few, as most of the time goes into payments and restarts; `npm run kills` does a hundred. */
const KILLS = 3
const TIMEOUT_MS = 300_000

it.skipIf(!existsSync('dist/server/wrangler.json'))(
  'loses, doubles and halves no order when it is killed in the middle of checkouts',
  async () => {
    const { problems, ...counts } = await killDuringCheckouts({ kills: KILLS, port: await freePort() })
    console.info(JSON.stringify(counts))
    expect(problems).toEqual([])
    expect(counts.orders).toBe(counts.keys)
    expect(counts.lostAnswers).toBeGreaterThan(KILLS)
  },
  TIMEOUT_MS,
)
