import type { PageContent } from '#shared/content/content.ts'

let loaded: PageContent | undefined
let loading: Promise<PageContent> | undefined

async function fetchContent(): Promise<PageContent> {
  const response = await fetch('/content.json')
  if (!response.ok) throw new Error('Failed to fetch the content')
  loaded = await response.json()
  return loaded as PageContent
}

/** Fetched once per visit. Returns the content directly once loaded; the promise rejects on failure. */
export function loadContent(): PageContent | Promise<PageContent> {
  if (loaded) return loaded
  loading ??= fetchContent().finally(() => {
    loading = undefined
  })
  return loading
}

/** Builds a page's data from the content: directly if it is loaded. */
export function withContent<View>(
  make: (content: PageContent) => View | Promise<View>,
): View | Promise<View> {
  const content = loadContent()
  return content instanceof Promise ? content.then(make) : make(content)
}
