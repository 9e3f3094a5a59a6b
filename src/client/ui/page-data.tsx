import { type ReactNode, Suspense } from 'react'
import { PAGE_BLOCK_ID } from '#shared/boot.ts'
import type { DataSource } from '../router/page.ts'

type WithDataProps<Data> = {
  source: DataSource<Data>
  fallback: ReactNode
  children: (data: Data) => ReactNode
}

/** Shows a page's part that needs its data, and the fallback until the data is there. */
export function WithData<Data>({ source, fallback, children }: WithDataProps<Data>) {
  return (
    <Suspense fallback={fallback}>
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
