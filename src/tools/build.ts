import { command, ToolError } from './command.ts'
import { catalogueFileProblem } from './vite/catalogue-check.ts'

/** Checks types, lint and unused code. Throws ToolError when one of them fails. */
export async function checkCode(): Promise<void> {
  await Promise.all([
    // Side by side, its checkers do much of the work once each; and it collects garbage for nothing.
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

/** Throws {@link ToolError} naming the item and the field when the catalogue file is broken. */
export function requireCatalogue(): void {
  const problem = catalogueFileProblem()
  if (problem) throw new ToolError(problem)
}

/** Builds browser and server files into `dist/`, for an environment of wrangler.toml. */
export async function build(environment?: 'production'): Promise<void> {
  await command('vite', ['build', '--logLevel', 'error'], 'The build failed; see above.', {
    output: 'on-failure',
    env: { CLOUDFLARE_ENV: environment ?? '' },
  })
}
