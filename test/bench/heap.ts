const BYTES_PER_MB = 1_000_000

type Target = { id: string; webSocketDebuggerUrl: string }
type Reply = {
  id?: number
  result: { usedSize: number; backingStorageSize: number; embedderHeapUsedSize: number }
}

/** What a Worker's isolate holds, garbage included, in MB: its heap and the bytes beside it. */
export async function heapMegabytes(inspectorUrl: string): Promise<number> {
  const targets = (await (await fetch(`${inspectorUrl}/json`)).json()) as Target[]
  const target = targets.find(({ id }) => id === 'worker')
  if (!target) throw new Error('workerd shows no Worker to inspect.')
  const socket = new WebSocket(target.webSocketDebuggerUrl)
  const reply = new Promise<Reply>((resolve, reject) => {
    socket.addEventListener('open', () => socket.send('{"id":1,"method":"Runtime.getHeapUsage"}'))
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(String(data)) as Reply
      if (message.id) resolve(message)
    })
    socket.addEventListener('error', reject)
  })
  const { usedSize, backingStorageSize, embedderHeapUsedSize } = (await reply).result
  socket.close()
  return (usedSize + backingStorageSize + embedderHeapUsedSize) / BYTES_PER_MB
}
