import { type ComponentType, lazy, memo, Suspense } from 'react'

/**
 * A lazy section excluded from the first load; the server's markup stays until the browser is idle. Call
 * `fetchSection` to load it at once for a hash that names it.
 */
export function idleSection<Props extends object = object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined
  const fetchSection = async () => {
    Loaded = await load()
    return null
  }
  const Lazy = lazy(async () => {
    await waitUntilIdle()
    return { default: await load() }
  })
  // Memoized, so that a re-render of the page keeps the server's markup until the script has loaded.
  const Section = memo((props: Props) => (
    <Suspense>{Loaded ? <Loaded {...props} /> : <Lazy {...props} />}</Suspense>
  ))
  return { Section, fetchSection }
}

function waitUntilIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'undefined') setTimeout(resolve)
    else requestIdleCallback(resolve)
  })
}
