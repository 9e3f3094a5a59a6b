import { renderToStaticMarkup } from 'react-dom/server.node'
import type { KeptMarkup } from '#client/ui/kept-markup.ts'

/** Lists live as long as the catalogue they are a part of. */
const kept = new WeakMap<object, string>()
/** What React puts in front of images that are not lazy; they stand right below anyway. */
const PRELOADS = /^(<link [^>]*>)+/

/** A list's markup, rendered the first time it is asked for. */
export const keptMarkup: KeptMarkup = (list, entries) => {
  const known = kept.get(list)
  if (known !== undefined) return known
  const markup = renderToStaticMarkup(entries()).replace(PRELOADS, '')
  kept.set(list, markup)
  return markup
}
