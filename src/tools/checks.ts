import { command } from './command.ts'

/** Types, lint, and that nothing lies around unused. Throws ToolError when one does not hold. */
export async function checkCode(): Promise<void> {
  await Promise.all([
    command('tsc', ['--noEmit'], 'The types do not hold; the messages are above.', { output: 'on-failure' }),
    command('biome', ['check', '--error-on-warnings'], 'The linter objects; its messages are above.', {
      output: 'on-failure',
    }),
    command('knip', ['--no-progress'], 'Something is not used, or not declared; the list is above.', {
      output: 'on-failure',
    }),
  ])
}
