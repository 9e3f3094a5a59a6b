type Isolate = { id: string; webSocketDebuggerUrl: string }
type HeapUsage = { usedSize: number; backingStorageSize: number; embedderHeapUsedSize: number }

const BYTES_PER_MB = 1_000_000
/** One isolate may free objects that another one references. */
const COLLECTIONS = 3

export async function isolatesAt(inspectorUrl: string): Promise<Isolate[]> {
  return (await (await fetch(`${inspectorUrl}/json`)).json()) as Isolate[]
}

/** An isolate's heap and array buffers in MB, garbage included. */
export async function heapMegabytes(isolate: Isolate): Promise<number> {
  const { answer, close } = await send(isolate, 'Runtime.getHeapUsage')
  const { usedSize, backingStorageSize, embedderHeapUsedSize } = (await answer) as HeapUsage
  close()
  return (usedSize + backingStorageSize + embedderHeapUsedSize) / BYTES_PER_MB
}

/** Collects garbage in all isolates. An isolate does so at its next request, so `visit` must send one to each. */
export async function collectGarbage(inspectorUrl: string, visit: () => Promise<void>): Promise<void> {
  for (let times = 0; times < COLLECTIONS; times++) {
    const isolates = await isolatesAt(inspectorUrl)
    const sent = await Promise.all(isolates.map((isolate) => send(isolate, 'HeapProfiler.collectGarbage')))
    await visit()
    for (const { close } of sent) close()
  }
}

/** Resolves once the command is sent; an isolate answers at its next request. */
async function send({ webSocketDebuggerUrl }: Isolate, method: string) {
  const socket = new WebSocket(webSocketDebuggerUrl)
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }))
  const answer = new Promise<unknown>((resolve) => {
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as { id?: number; result: unknown }
      if (message.id) resolve(message.result)
    }
  })
  socket.send(JSON.stringify({ id: 1, method }))
  return { answer, close: () => socket.close() }
}
