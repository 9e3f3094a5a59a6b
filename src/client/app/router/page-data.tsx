import { type ReactNode, Suspense, use } from 'react'
import { PAGE_BLOCK_ID } from '#shared/boot.ts'

/** A page's data, read while rendering: returns it, or suspends until it has loaded. */
export type DataSource<Data> = {
  read: () => Data
  /** The JSON of the document's data block on the server, empty while hydrating it; undefined when there is none. */
  blockJson?: () => string
  /** Set on the server, where React renders a large boundary's fallback too: the data is there, so none is needed. */
  isReady?: boolean
}

/** Data that has loaded, or a promise to suspend on. */
export function dataOf<Data>(data: Data | Promise<Data>): DataSource<Data> {
  return { read: () => (data instanceof Promise ? use(data) : data) }
}

/** The server's source: like {@link dataOf}, and the data is also written into the document, for hydration. */
export function sentData<Data>(data: Data | Promise<Data>, toJson: (data: Data) => string): DataSource<Data> {
  const source = dataOf(data)
  return { ...source, blockJson: () => toJson(source.read()), isReady: !(data instanceof Promise) }
}

/**
 * The browser's source for the page the server sent: the document's data block. It is parsed when React hydrates that
 * part of the page, which the stream delivers with its block; where the server gave up, the browser loads the data.
 */
export function receivedData<Data>(load: () => Data | Promise<Data>): DataSource<Data> {
  let source: DataSource<Data> | undefined
  return {
    read() {
      if (!source) {
        const block = document.getElementById(PAGE_BLOCK_ID)
        source = dataOf(block ? (JSON.parse(block.textContent) as Data) : load())
      }
      return source.read()
    },
    blockJson: () => '',
  }
}

type WithDataProps<Data> = {
  source: DataSource<Data>
  fallback: ReactNode
  children: (data: Data) => ReactNode
}

/** Renders the part of a page that needs its data, and the fallback until the data has loaded. */
export function WithData<Data>({ source, fallback, children }: WithDataProps<Data>) {
  return (
    <Suspense fallback={import.meta.env.SSR && source.isReady ? null : fallback}>
      <Loaded source={source}>{children}</Loaded>
    </Suspense>
  )
}

function Loaded<Data>({ source, children }: Omit<WithDataProps<Data>, 'fallback'>) {
  return (
    <>
      {children(source.read())}
      {source.blockJson && (
        <script
          type="application/json"
          id={PAGE_BLOCK_ID}
          suppressHydrationWarning
          // biome-ignore lint/security/noDangerouslySetInnerHtml: JSON with every "<" escaped, in a data block
          dangerouslySetInnerHTML={{ __html: source.blockJson() }}
        />
      )}
    </>
  )
}
