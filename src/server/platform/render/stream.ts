import { renderToPipeableStream } from 'react-dom/server.node'

/** After this time, the browser renders the boundaries that aren't finished. */
const RENDER_TIMEOUT_MS = 10_000
/** Prevents React from postponing large boundaries that are already finished. */
const NEVER_OUTLINE_BYTES = Number.MAX_SAFE_INTEGER

export type PageBody = Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>

type StreamOptions = {
  start: string
  /** Returns the markup to send directly after the shell. */
  afterShell: (isStreaming: boolean) => string
  end: string
  encoded: ReadonlyMap<string, Uint8Array>
  nonce: string
  waitsForAll: boolean
  signal: AbortSignal
  onError: (error: unknown) => void
}

/**
 * Resolves once the shell is rendered or, with `waitsForAll`, the whole page: to bytes if the page is complete,
 * otherwise to a stream. Rejects if the shell fails.
 */
export function streamPage(tree: React.ReactNode, options: StreamOptions): Promise<PageBody> {
  const { promise, resolve, reject } = Promise.withResolvers<PageBody>()
  const encoder = new TextEncoder()
  let pending: Uint8Array[] = [encoder.encode(options.start)]
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined
  let onClose = () => {}
  let isOpen = true

  const write = (chunk: string | Uint8Array) => {
    pending.push(typeof chunk === 'string' ? (options.encoded.get(chunk) ?? encoder.encode(chunk)) : chunk)
    return true
  }
  const send = () => {
    if (isOpen && pending.length > 0) controller?.enqueue(concatBytes(pending))
    pending = []
  }
  const finish = (close: () => void) => {
    clearTimeout(timeout)
    if (isOpen) close()
    isOpen = false
  }

  /** The part of Node's Writable that React uses. What React writes synchronously is sent as one chunk. */
  const destination = {
    write,
    flush() {
      if (controller) queueMicrotask(send)
    },
    end: () =>
      finish(() => {
        if (!controller) return
        write(options.end)
        send()
        controller.close()
      }),
    destroy: (error?: Error) => finish(() => (controller ? controller.error(error) : reject(error))),
    on(event: string, listener: () => void) {
      if (event === 'close') onClose = listener
      return destination
    },
  }

  const pipeShell = () => {
    render.pipe(destination as unknown as NodeJS.WritableStream)
    write(options.afterShell(isOpen))
    if (!isOpen) {
      write(options.end)
      return resolve(concatBytes(pending))
    }
    const stream = new ReadableStream<Uint8Array>({
      start(started) {
        controller = started
        send()
      },
      cancel() {
        isOpen = false
        onClose()
      },
    })
    resolve(stream)
  }

  const render = renderToPipeableStream(tree, {
    nonce: options.nonce,
    progressiveChunkSize: NEVER_OUTLINE_BYTES,
    onShellReady: () => options.waitsForAll || pipeShell(),
    onAllReady: () => options.waitsForAll && pipeShell(),
    onShellError: reject,
    onError: (error) => {
      if (!options.signal.aborted) options.onError(error)
    },
  })
  const timeout = setTimeout(() => render.abort(new Error('The render timed out.')), RENDER_TIMEOUT_MS)
  options.signal.addEventListener('abort', () => {
    clearTimeout(timeout)
    render.abort(new Error('The client disconnected.'))
  })
  return promise
}

function concatBytes(chunks: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(chunks.reduce((total, { byteLength }) => total + byteLength, 0))
  let offset = 0
  for (const chunk of chunks) {
    bytes.set(chunk, offset)
    offset += chunk.byteLength
  }
  return bytes
}
