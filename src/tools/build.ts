import { command, ToolError } from './command.ts'
import { findCatalogueProblem } from './vite/catalogue-check.ts'

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

export function requireCatalogue(): void {
  const problem = findCatalogueProblem()
  if (problem) throw new ToolError(problem)
}

export async function build(environment?: 'production'): Promise<void> {
  await command('vite', ['build', '--logLevel', 'error'], 'The build failed; see above.', {
    output: 'on-failure',
    env: { CLOUDFLARE_ENV: environment ?? '' },
  })
}
