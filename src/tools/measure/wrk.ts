import { spawn } from 'node:child_process'

const CONNECTIONS = 16

/** What one burst of requests showed. */
export type Load = { requestsPerSecond: number; requests: number; failures: number }

/** Sends requests with wrk (Debian's package) for some seconds; rejects when wrk is missing. */
export function load(address: string, seconds: number, headers: Record<string, string> = {}): Promise<Load> {
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const child = spawn('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headerArguments, address])
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', () => reject(new Error('wrk is missing. Get it with: apt-get install wrk')))
    child.on('close', () =>
      resolve({
        requestsPerSecond: figureIn(output, /Requests\/sec:\s+([\d.]+)/),
        requests: figureIn(output, /(\d+) requests in/),
        failures: figureIn(output, /Non-2xx or 3xx responses: (\d+)/),
      }),
    )
  })
}

function figureIn(output: string, pattern: RegExp): number {
  return Number(pattern.exec(output)?.[1] ?? 0)
}

/** The middle of some figures; not a number when there are none. */
export function median(figures: readonly number[]): number {
  return figures.toSorted((a, b) => a - b)[Math.floor(figures.length / 2)] ?? Number.NaN
}
