import { spawn } from 'node:child_process'

/** Its message is printed without a stack trace. */
export class ToolError extends Error {
  override name = 'ToolError'
}

export async function runTool(main: () => Promise<void>): Promise<void> {
  onStopSignal(() => process.exit(STOPPED_EXIT_CODE))
  try {
    await main()
  } catch (error) {
    const reason = findToolError(error)
    if (!reason) throw error
    console.error(reason.message)
    process.exitCode = 1
  }
}

function findToolError(error: unknown): ToolError | undefined {
  if (error instanceof ToolError) return error
  return error instanceof Error && error.cause ? findToolError(error.cause) : undefined
}

const STOPPED_EXIT_CODE = 130

export function waitUntilStopped(): Promise<void> {
  return new Promise(onStopSignal)
}

/** `disconnect` means that the parent process has exited. */
function onStopSignal(handler: () => void): void {
  for (const event of ['SIGINT', 'SIGTERM', 'SIGHUP', 'disconnect']) {
    process.removeAllListeners(event).on(event, handler)
  }
  process.channel?.unref()
}

type CommandOptions = { output: 'show' | 'on-failure'; env?: Record<string, string> }

/** Returns stdout, unless it is shown. Throws {@link ToolError} if the program fails. */
export function runProgram(
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
