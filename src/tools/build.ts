import { globSync, statSync } from 'node:fs'
import path from 'node:path'
import type { InlineConfig } from 'vite'
import { runProgram } from './command.ts'

export async function checkCode(): Promise<void> {
  await Promise.all([
    // Both settings save CPU time: threads would repeat work, and a higher GOGC collects garbage less often.
    runProgram('tsc', ['--noEmit', '--singleThreaded'], 'Type errors; see above.', {
      output: 'on-failure',
      env: { GOGC: '400' },
    }),
    runProgram('biome', ['check', '--error-on-warnings'], 'Lint errors; see above.', {
      output: 'on-failure',
    }),
    runProgram('knip', ['--no-progress'], 'Unused or undeclared code; see above.', { output: 'on-failure' }),
  ])
}

export async function build(environment?: 'production'): Promise<void> {
  await runProgram('vite', ['build', '--logLevel', 'error'], 'The build failed; see above.', {
    output: 'on-failure',
    env: { CLOUDFLARE_ENV: environment ?? '' },
  })
}

export async function bundleScript(name: string, config: InlineConfig): Promise<string> {
  const vite = await import('vite')
  const shared = { configFile: false, logLevel: 'error' } as const
  const output = await vite.build({ ...shared, ...config, build: { ...config.build, write: false } })
  const [script] = [output].flat().flatMap((result) => ('output' in result ? result.output : []))
  if (script?.type !== 'chunk') throw new Error(`Couldn't bundle the ${name}.`)
  return script.code
}

export function isOutdated(file: string, inputs: string[], cwd = process.cwd()): boolean {
  const builtMs = statSync(file, { throwIfNoEntry: false })?.mtimeMs ?? 0
  return globSync(inputs, { cwd }).some((input) => statSync(path.join(cwd, input)).mtimeMs > builtMs)
}
