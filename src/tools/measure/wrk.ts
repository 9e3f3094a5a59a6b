import { spawn } from 'node:child_process'

const CONNECTIONS = 16

export type Load = { requestsPerSecond: number; requests: number; failures: number }

/** Sends requests with wrk. */
export function load(address: string, seconds: number, headers: Record<string, string> = {}): Promise<Load> {
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const child = spawn('wrk', ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headerArguments, address])
  let output = ''
  child.stdout.on('data', (chunk: Buffer) => {
    output += chunk
  })
  return new Promise((resolve, reject) => {
    child.on('error', () => reject(new Error('wrk is missing. Install it with: apt-get install wrk')))
    child.on('close', () =>
      resolve({
        requestsPerSecond: numberIn(output, /Requests\/sec:\s+([\d.]+)/),
        requests: numberIn(output, /(\d+) requests in/),
        failures: numberIn(output, /Non-2xx or 3xx responses: (\d+)/),
      }),
    )
  })
}

function numberIn(output: string, pattern: RegExp): number {
  return Number(pattern.exec(output)?.[1] ?? 0)
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
