import { readFileSync } from 'node:fs'
import { catalogueProblem } from '#shared/catalogue/catalogue-issues.ts'
import { command, ToolError } from './command.ts'

export async function checkCode(): Promise<void> {
  await Promise.all([
    // Parallel checkers repeat work. A higher GOGC saves garbage collections.
    command('tsc', ['--noEmit', '--singleThreaded'], 'Type errors; see above.', {
      output: 'on-failure',
      env: { GOGC: '400' },
    }),
    command('biome', ['check', '--error-on-warnings'], 'Lint errors; see above.', {
      output: 'on-failure',
    }),
    command('knip', ['--no-progress'], 'Unused or undeclared code; see above.', {
      output: 'on-failure',
    }),
  ])
}

const CATALOGUE_FILE = 'public/Items.json'

/** Throws {@link ToolError} if the catalogue's file is broken. */
export function requireCatalogue(): void {
  let problem: string | undefined
  try {
    problem = catalogueProblem(JSON.parse(readFileSync(CATALOGUE_FILE, 'utf8')))
  } catch (error) {
    problem = error instanceof Error ? error.message : String(error)
  }
  if (problem) throw new ToolError(`${CATALOGUE_FILE} is broken. ${problem}`)
}

export async function build(environment?: 'production'): Promise<void> {
  await command('vite', ['build', '--logLevel', 'error'], 'The build failed; see above.', {
    output: 'on-failure',
    env: { CLOUDFLARE_ENV: environment ?? '' },
  })
}
