import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

const KILOBYTES_PER_MB = 1024
/** What one isolate lets go of may be what another waited for. */
const COLLECTIONS = 3
/** Until the allocator has given back what was freed. */
const REST_MS = 1000
const COLLECT_EVERY_MS = 3000
/** Under this name the local tools run the shop's Worker, among a score of their own isolates. */
const SHOP_ISOLATE = /^core:user:(?!miniflare)/
const LISTENING = '0A'

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** What is held, in MB. */
export type Memory = {
  /** By the process that runs the Worker with its database, files, mail and limits, once garbage is collected. */
  workerdMb: number
  /** By the Worker's isolate in it, likewise. */
  isolateMb: number
  /** By wrangler's proxy before that process, garbage and all: nothing can collect it, and nothing of the shop is there. */
  proxyMb: number
}

/**
 * Does some work and collects garbage at the same time, as a process with little memory does: the allocator retains as much
 * as the most garbage took, which is chance. The work must be visits of the shop, see {@link collectGarbage}.
 */
export async function collectingGarbage(processGroup: number, work: Promise<void>): Promise<void> {
  let isOver = false
  const end = work.finally(() => {
    isOver = true
  })
  const { isolates } = (await runtimeOf(processGroup)) ?? { isolates: [] }
  while (!isOver) await collectGarbage(isolates, () => Promise.race([end, pause(COLLECT_EVERY_MS)]))
  await end
}

/**
 * What the workerd processes of a group hold once garbage is collected; undefined where the system has no /proc. V8
 * does not collect garbage for minutes and each dead request in it retains native memory, so the size of a process alone says
 * nothing. `visit` must go wherever the load went, see {@link collectGarbage}. The shop must be inspected.
 */
export async function memoryAfterCollection(
  processGroup: number,
  visit: () => Promise<void>,
): Promise<Memory | undefined> {
  const runtime = await runtimeOf(processGroup)
  const shop = runtime?.isolates.find(isShop)
  if (!runtime || !shop) return undefined
  for (let times = 0; times < COLLECTIONS; times++) await collectGarbage(runtime.isolates, visit)
  const isolateMb = await heapMegabytes(shop)
  await pause(REST_MS)
  const others = workerdsOf(processGroup).filter((pid) => pid !== runtime.pid)
  return {
    workerdMb: residentMb(runtime.pid),
    isolateMb,
    proxyMb: others.reduce((sum, pid) => sum + residentMb(pid), 0),
  }
}

/** The process that runs the Worker, with its isolates. */
async function runtimeOf(processGroup: number) {
  const processes = workerdsOf(processGroup).map(async (pid) => ({ pid, isolates: await isolatesOf(pid) }))
  return (await Promise.all(processes)).find(({ isolates }) => isolates.some(isShop))
}

function isShop({ id }: Isolate): boolean {
  return SHOP_ISOLATE.test(id)
}

function workerdsOf(processGroup: number): string[] {
  return entriesOf('/proc').filter((pid) => {
    const [, program, rest = ''] = /\((.+)\) (.*)/.exec(textOf(`/proc/${pid}/stat`)) ?? []
    return program === 'workerd' && Number(rest.split(' ')[2]) === processGroup
  })
}

/** The isolates of the inspector that a process listens with; none when it has no inspector of workerd's own. */
async function isolatesOf(pid: string): Promise<Isolate[]> {
  const found = listenedPorts(pid).map((port) => isolatesAt(`http://127.0.0.1:${port}`).catch(() => []))
  return (await Promise.all(found)).flat()
}

function listenedPorts(pid: string): number[] {
  const folder = `/proc/${pid}/fd`
  const sockets = new Set(
    entriesOf(folder).map((fd) => /^socket:\[(\d+)\]$/.exec(linkOf(`${folder}/${fd}`))?.[1]),
  )
  return textOf('/proc/net/tcp')
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , , state, , , , , , inode]) => state === LISTENING && sockets.has(inode))
    .map(([, address = '']) => Number.parseInt(address.split(':')[1] ?? '', 16))
}

function residentMb(pid: string): number {
  return Number(/VmRSS:\s+(\d+)/.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) / KILOBYTES_PER_MB
}

// Processes and their files end while they are read; then there is nothing to tell of them.

function entriesOf(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

function textOf(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}

/** An isolate that workerd's inspector shows. */
export type Isolate = { id: string; webSocketDebuggerUrl: string }

type HeapUsage = { usedSize: number; backingStorageSize: number; embedderHeapUsedSize: number }
type Method = { 'Runtime.getHeapUsage': HeapUsage; 'HeapProfiler.collectGarbage': Record<string, never> }
type Question<Name extends keyof Method> = { answer: Promise<Method[Name]>; close: () => Promise<void> }

const BYTES_PER_MB = 1_000_000

/** The isolates behind an inspector's address. Rejects where there is no inspector. */
export async function isolatesAt(inspectorUrl: string): Promise<Isolate[]> {
  const list: unknown = await (await fetch(`${inspectorUrl}/json`)).json()
  if (!Array.isArray(list)) throw new Error('This is no inspector.')
  return list
}

/** What an isolate holds, garbage included, in MB: its heap and the bytes beside it. */
export async function heapMegabytes(isolate: Isolate): Promise<number> {
  const { answer, close } = await ask(isolate, 'Runtime.getHeapUsage')
  const { usedSize, backingStorageSize, embedderHeapUsedSize } = await answer
  await close()
  return (usedSize + backingStorageSize + embedderHeapUsedSize) / BYTES_PER_MB
}

/** Collects the garbage of isolates. Each does so when it is next entered, so `visit` must enter them all. */
export async function collectGarbage(
  isolates: readonly Isolate[],
  visit: () => Promise<void>,
): Promise<void> {
  const asked = await Promise.all(isolates.map((isolate) => ask(isolate, 'HeapProfiler.collectGarbage')))
  await visit()
  await Promise.all(asked.map(({ close }) => close()))
}

/** Resolves as soon as the question is on its way. An isolate has one session at a time: close before asking more. */
function ask<Name extends keyof Method>(
  { webSocketDebuggerUrl }: Isolate,
  method: Name,
): Promise<Question<Name>> {
  const socket = new WebSocket(webSocketDebuggerUrl)
  const answered = Promise.withResolvers<Method[Name]>()
  // Nobody listens to the answer of an isolate that is only asked to collect.
  answered.promise.catch(() => {})
  const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
  const close = () => {
    socket.close()
    return closed
  }
  socket.addEventListener('message', ({ data }) => {
    const message = JSON.parse(String(data)) as { id?: number; result: Method[Name] }
    if (message.id) answered.resolve(message.result)
  })
  return new Promise((resolve, reject) => {
    socket.addEventListener('open', () => {
      socket.send(JSON.stringify({ id: 1, method }))
      resolve({ answer: answered.promise, close })
    })
    void closed.then(() => {
      const gone = new Error(`${webSocketDebuggerUrl} has hung up.`)
      answered.reject(gone)
      reject(gone)
    })
  })
}
