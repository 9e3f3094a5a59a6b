import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Report } from './report.ts'

const TEST = 'test/http/round-trips.test.ts'

type Call = { meta: { roundTrips?: number; startsPayment?: boolean } }
type TestReport = { testResults: { assertionResults: Call[] }[] }

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
  const row = (what: string, some: readonly Call[], atMost: number) =>
    report.row({
      id: 'S13',
      what: `D1 round trips, the most of ${some.length} calls ${what}`,
      value: Math.max(...some.map(({ meta }) => meta.roundTrips ?? Number.NaN)),
      budget: { atMost },
    })
  const startsPayment = ({ meta }: Call) => meta.startsPayment === true
  row('that start a payment', calls.filter(startsPayment), 3)
  row(
    'of the others',
    calls.filter((call) => !startsPayment(call)),
    2,
  )
}
