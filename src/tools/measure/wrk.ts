import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ToolError } from '../command.ts'

const CONNECTIONS = 16

export async function load(address: string, seconds: number, headers: Record<string, string> = {}) {
  const headerArguments = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const options = ['-t1', `-c${CONNECTIONS}`, `-d${seconds}s`, ...headerArguments, address]
  const { stdout } = await promisify(execFile)('wrk', options).catch((error: Error) => {
    throw new ToolError(`Couldn't run wrk (apt-get install wrk): ${error.message}`)
  })
  const numberIn = (pattern: RegExp) => Number(pattern.exec(stdout)?.[1] ?? 0)
  return {
    requestsPerSecond: numberIn(/Requests\/sec:\s+([\d.]+)/),
    requests: numberIn(/(\d+) requests in/),
    failures: numberIn(/Non-2xx or 3xx responses: (\d+)/),
  }
}

export function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
