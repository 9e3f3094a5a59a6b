import { type ReactNode, Suspense, use } from 'react'
import { PAGE_BLOCK_ID } from '#shared/boot.ts'

export type DataSource<Data> = {
  read: () => Data
  /**
   * Returns the JSON for the document's data block, or an empty text in the browser. Undefined if a navigation opened
   * the page.
   */
  blockJson?: () => string
  /**
   * True on the server if the data is ready. The Suspense boundary then has no fallback, which React would
   * otherwise send if the boundary is large.
   */
  isReady?: boolean
}

export function createDataSource<Data>(data: Data | Promise<Data>): DataSource<Data> {
  return { read: () => (data instanceof Promise ? use(data) : data) }
}

export function createServerSource<Data>(
  data: Data | Promise<Data>,
  toJson: (data: Data) => string,
): DataSource<Data> {
  const source = createDataSource(data)
  return { ...source, blockJson: () => toJson(source.read()), isReady: !(data instanceof Promise) }
}

/** If loading fails, the page keeps its loading state until the document is reloaded. */
export function suspendOnFailure<Data>(data: Data | Promise<Data>): Data | Promise<Data> {
  return data instanceof Promise ? data.catch(() => new Promise<never>(() => {})) : data
}

/** Calls `load` only in the service worker's shell, which has no data block. */
export function createBrowserSource<Data>(
  load: () => Data | Promise<Data>,
  restore = (data: Data) => data,
): DataSource<Data> {
  let source: DataSource<Data> | undefined
  return {
    read() {
      if (!source) {
        const block = document.getElementById(PAGE_BLOCK_ID)
        source = createDataSource(block ? restore(JSON.parse(block.textContent) as Data) : load())
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

export function WithData<Data>({ source, fallback, children }: WithDataProps<Data>) {
  return (
    <Suspense fallback={import.meta.env.SSR && source.isReady ? null : fallback}>
      <LoadedData source={source}>{children}</LoadedData>
    </Suspense>
  )
}

function LoadedData<Data>({ source, children }: Omit<WithDataProps<Data>, 'fallback'>) {
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
