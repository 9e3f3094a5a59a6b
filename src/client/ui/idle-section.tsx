import { type ComponentType, lazy, memo, Suspense } from 'react'

/** The functions that fetch the sections not yet loaded on the server. */
const serverFetches = new Set<() => Promise<unknown>>()

/** The section loads when the browser is idle; until then, the server's markup stays. */
export function createIdleSection<Props extends object = object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined
  const fetchSection = async () => {
    Loaded = await load()
    if (import.meta.env.SSR) serverFetches.delete(fetchSection)
    return null
  }
  if (import.meta.env.SSR) serverFetches.add(fetchSection)
  const Lazy = lazy(async () => {
    await waitUntilIdle()
    return { default: await load() }
  })
  // Without memo, re-rendering the page would discard the server's markup before the section has loaded.
  const Section = memo((props: Props) => (
    <Suspense>{Loaded ? <Loaded {...props} /> : <Lazy {...props} />}</Suspense>
  ))
  return { Section, fetchSection }
}

/** The server must await it before rendering, because a section that streams later is hidden until a script runs. */
export async function fetchIdleSections(): Promise<void> {
  while (serverFetches.size > 0) await Promise.all([...serverFetches].map((fetchSection) => fetchSection()))
}

function waitUntilIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'undefined') setTimeout(resolve)
    else requestIdleCallback(resolve)
  })
}
