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
