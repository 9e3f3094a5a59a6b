import type { PageContent } from '#shared/content/content.ts'

let loadedContent: PageContent | undefined
let pendingContent: Promise<PageContent> | undefined

async function fetchContent(): Promise<PageContent> {
  const response = await fetch('/content.json')
  if (!response.ok) throw new Error('Failed to fetch the content')
  loadedContent = await response.json()
  return loadedContent as PageContent
}

export function loadContent(): PageContent | Promise<PageContent> {
  if (loadedContent) return loadedContent
  pendingContent ??= fetchContent().finally(() => {
    pendingContent = undefined
  })
  return pendingContent
}

export function withContent<View>(
  createView: (content: PageContent) => View | Promise<View>,
): View | Promise<View> {
  const content = loadContent()
  return content instanceof Promise ? content.then(createView) : createView(content)
}
