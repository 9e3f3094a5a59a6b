import { type ComponentType, lazy, memo, Suspense } from 'react'

/** The section loads when the browser is idle; until then, the server's markup stays. */
export function createIdleSection<Props extends object = object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined
  const fetchSection = async () => {
    Loaded = await load()
    return null
  }
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

function waitUntilIdle(): Promise<unknown> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'undefined') setTimeout(resolve)
    else requestIdleCallback(resolve)
  })
}
