import { type ComponentType, lazy, Suspense } from 'react'

/**
 * A section in a chunk of its own, for text that is no part of a first load: what the server sent is on the screen until
 * the browser is idle. `fetchSection` gets the chunk at once, for an address whose hash names the section.
 */
export function idleSection<Props extends object = object>(load: () => Promise<ComponentType<Props>>) {
  let Loaded: ComponentType<Props> | undefined
  const fetchSection = async () => {
    Loaded = await load()
    return null
  }
  const Lazy = lazy(async () => {
    await idle()
    return { default: await load() }
  })
  const Section = (props: Props) => (
    <Suspense>{Loaded ? <Loaded {...props} /> : <Lazy {...props} />}</Suspense>
  )
  return { Section, fetchSection }
}

function idle(): Promise<unknown> {
  return new Promise((resolve) => {
    if (typeof requestIdleCallback === 'undefined') setTimeout(resolve)
    else requestIdleCallback(resolve)
  })
}
