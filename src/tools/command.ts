import { spawn } from 'node:child_process'

/** A tool cannot go on; the message is one sentence for the person at the terminal. */
export class ToolError extends Error {
  override name = 'ToolError'
}

/** Runs a tool's main function: a {@link ToolError} is printed as its sentence, anything else as the bug it is. */
export async function runTool(main: () => Promise<void>): Promise<void> {
  onStop(() => process.exit(STOPPED_EXIT_CODE))
  try {
    await main()
  } catch (error) {
    const reason = refusalIn(error)
    if (!reason) throw error
    console.error(reason.message)
    process.exitCode = 1
  }
}

/** The {@link ToolError} itself, or the one that another error was made of. */
function refusalIn(error: unknown): ToolError | undefined {
  if (error instanceof ToolError) return error
  return error instanceof Error && error.cause ? refusalIn(error.cause) : undefined
}

/** What shells expect of a program that Ctrl+C has ended. */
const STOPPED_EXIT_CODE = 130

/** Waits until the person stops the tool, which then has time to close. */
export function untilStopped(): Promise<void> {
  return new Promise(onStop)
}

/** What happens, from now on and instead of anything else, at Ctrl+C, a signal, or the end of whatever started the tool. */
function onStop(react: () => void): void {
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
    process.removeAllListeners(event).on(event, react)
  }
  process.channel?.unref()
}

type CommandOptions = {
  /** `show` prints as it comes; `on-failure` prints the output only if the command fails. */
  output: 'show' | 'on-failure'
  env?: Record<string, string>
}

/**
 * Runs a program to its end and returns its standard output. When it fails, throws {@link ToolError} with `failure`;
 * as a function, that makes the sentence from the program's output, which is not printed then.
 */
export function command(
  program: string,
  args: string[],
  failure: string | ((output: string) => string),
  options: CommandOptions,
): Promise<string> {
  const child = spawn(program, args, {
    stdio: options.output === 'show' ? 'inherit' : ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  })
  const end = () => child.kill()
  process.once('exit', end)
  const stdout: Buffer[] = []
  const everything: Buffer[] = []
  child.stdout?.on('data', (chunk: Buffer) => stdout.push(chunk) && everything.push(chunk))
  child.stderr?.on('data', (chunk: Buffer) => everything.push(chunk))
  return new Promise((resolve, reject) => {
    child.on('error', (error) => reject(new ToolError(`Couldn't run ${program}: ${error.message}`)))
    child.on('close', (code) => {
      process.off('exit', end)
      if (code === 0) return resolve(Buffer.concat(stdout).toString())
      const printed = Buffer.concat(everything).toString()
      if (typeof failure === 'string') process.stderr.write(printed)
      reject(new ToolError(typeof failure === 'string' ? failure : failure(printed)))
    })
  })
}
