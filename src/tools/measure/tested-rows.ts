import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'
import type { Report, TestedRow } from './report.ts'

/** These tests store their rows in `task.meta.rows`. */
const TEST_FILES = [
  'test/build/sizes.test.ts',
  'test/http/round-trips.test.ts',
  'test/http/many-orders.test.ts',
  'test/http/published-catalogue.test.ts',
  'test/e2e/pictures.test.ts',
  'test/e2e/main-thread.test.ts',
]

type Results = {
  numFailedTests: number
  testResults: { assertionResults: { meta: { rows?: TestedRow[] } }[] }[]
}

export async function reportTestedRows(workFolder: string, { step, atMost }: Report): Promise<void> {
  step('Running the tests that check budgets')
  const file = path.join(workFolder, 'tests.json')
  // Failed tests are reported as a row below, so the rejection is ignored.
  const args = ['run', '--reporter=json', `--outputFile=${file}`, ...TEST_FILES]
  await promisify(execFile)('vitest', args).catch(() => {})
  const { numFailedTests, testResults } = JSON.parse(readFileSync(file, 'utf8')) as Results
  const rows = testResults.flatMap(({ assertionResults }) =>
    assertionResults.flatMap(({ meta }) => meta.rows ?? []),
  )
  for (const similar of Map.groupBy(rows, ({ id, what }) => `${id} ${what}`).values()) {
    const [worst] = similar.toSorted((a, b) => b.value - a.value)
    if (worst) atMost(worst.id, worst.what, worst.value, worst.limit, worst.unit)
  }
  atMost('S13', 'failed budget tests', numFailedTests, 0)
}
