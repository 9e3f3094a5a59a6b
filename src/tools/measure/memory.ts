/** An isolate that workerd's inspector shows. */
type Isolate = { id: string; webSocketDebuggerUrl: string }
type HeapUsage = { usedSize: number; backingStorageSize: number; embedderHeapUsedSize: number }

const BYTES_PER_MB = 1_000_000
/** What one isolate frees may be what another waited for. */
const COLLECTIONS = 3

/** The isolates of a workerd, by the address of its inspector. */
export async function isolatesAt(inspectorUrl: string): Promise<Isolate[]> {
  return (await (await fetch(`${inspectorUrl}/json`)).json()) as Isolate[]
}

/** What an isolate holds, garbage included, in MB: its heap and the bytes next to it. */
export async function heapMegabytes(isolate: Isolate): Promise<number> {
  const { answer, close } = await ask(isolate, 'Runtime.getHeapUsage')
  const { usedSize, backingStorageSize, embedderHeapUsedSize } = (await answer) as HeapUsage
  close()
  return (usedSize + backingStorageSize + embedderHeapUsedSize) / BYTES_PER_MB
}

/** Collects the garbage of all isolates. Each does so when it is next entered, so `visit` must enter them. */
export async function collectGarbage(inspectorUrl: string, visit: () => Promise<void>): Promise<void> {
  for (let times = 0; times < COLLECTIONS; times++) {
    const isolates = await isolatesAt(inspectorUrl)
    const asked = await Promise.all(isolates.map((isolate) => ask(isolate, 'HeapProfiler.collectGarbage')))
    await visit()
    for (const { close } of asked) close()
  }
}

/** Resolves once the question is sent: an isolate answers when it is next entered. */
async function ask({ webSocketDebuggerUrl }: Isolate, method: string) {
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
