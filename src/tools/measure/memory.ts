const BYTES_PER_MB = 1_000_000
/** One collection may free what keeps other objects alive. */
const GARBAGE_COLLECTIONS = 3
/** The Worker's isolate in plain workerd and in miniflare. */
const ISOLATE = /^(worker|core:user:.*)$/

type Isolate = { id: string; webSocketDebuggerUrl: string }
type Answer = { id?: number; result: unknown }
type HeapUsage = { usedSize: number; backingStorageSize: number; embedderHeapUsedSize: number }

/** The heap and array buffers of the Worker at `url` in MB after garbage collection, read through workerd's inspector. */
export async function heapMegabytes(url: string, inspectorPort: number): Promise<number> {
  const isolates = (await (await fetch(`http://127.0.0.1:${inspectorPort}/json`)).json()) as Isolate[]
  const address = isolates.find(({ id }) => ISOLATE.test(id))?.webSocketDebuggerUrl
  if (!address) throw new Error('The inspector found no Worker.')
  const socket = new WebSocket(address)
  await new Promise((resolve, reject) => Object.assign(socket, { onopen: resolve, onerror: reject }))
  let lastId = 0
  const send = async (method: string) => {
    const id = ++lastId
    let answer: Answer | undefined
    socket.onmessage = ({ data }) => {
      const message = JSON.parse(String(data)) as Answer
      if (message.id === id) answer = message
    }
    socket.send(JSON.stringify({ id, method }))
    // An isolate handles commands while it handles requests.
    while (!answer) await (await fetch(url)).bytes()
    return answer.result
  }
  for (let times = 0; times < GARBAGE_COLLECTIONS; times++) await send('HeapProfiler.collectGarbage')
  const usage = (await send('Runtime.getHeapUsage')) as HeapUsage
  socket.close()
  return (usage.usedSize + usage.backingStorageSize + usage.embedderHeapUsedSize) / BYTES_PER_MB
}
