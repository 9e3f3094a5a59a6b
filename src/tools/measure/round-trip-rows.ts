import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Report } from './report.ts'

const TEST = 'test/http/round-trips.test.ts'

type TestReport = { testResults: { assertionResults: { title: string; meta: { roundTrips?: number } }[] }[] }

/** S13: the most round trips to the database that a call makes, as the test of it counted them. */
export async function roundTripRows(workFolder: string, report: Report): Promise<void> {
  report.step('Counting round trips to the database')
  const file = path.join(workFolder, 'round-trips.json')
  // A test that fails shows in its figures.
  await promisify(execFile)('vitest', [
    'run',
    '--project',
    'http',
    TEST,
    '--reporter=json',
    `--outputFile=${file}`,
  ]).catch(() => {})
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as TestReport
  const calls = testResults.flatMap(({ assertionResults }) => assertionResults)
  const most = Math.max(...calls.map(({ meta }) => meta.roundTrips ?? Number.NaN))
  report.row({
    id: 'S13',
    what: `D1 round trips, the most of ${calls.length} calls`,
    value: most,
    budget: { atMost: 2 },
  })
}
