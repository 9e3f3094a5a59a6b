import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { promisify } from 'node:util'

type TestReport<Meta> = { testResults: { assertionResults: { meta: Meta }[] }[] }

/** Runs a test in the Worker's own runtime, with these settings of its own; returns what each of its cases noted in `task.meta`. */
export async function figuresOfTest<Meta>(
  test: string,
  workFolder: string,
  settings: Record<string, string> = {},
): Promise<Meta[]> {
  const file = path.join(workFolder, `${path.basename(test)}.json`)
  const options = ['--project', 'http', '--reporter=json', `--outputFile=${file}`]
  // A test that fails shows in its figures.
  await promisify(execFile)('vitest', ['run', ...options, test], {
    env: { ...process.env, ...settings },
  }).catch(() => {})
  const { testResults } = JSON.parse(readFileSync(file, 'utf8')) as TestReport<Meta>
  return testResults.flatMap(({ assertionResults }) => assertionResults.map(({ meta }) => meta))
}
