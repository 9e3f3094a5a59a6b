import { escapeHtml } from '#server/platform/escape-html.ts'
import type { RichText } from '#shared/content/content.ts'

export function renderRichText(text: RichText): string {
  return text
    .map((node) => {
      if (typeof node === 'string') return escapeHtml(node)
      const [tag, children, href] = node
      if (tag === 'br') return '<br>'
      const attribute = href === undefined ? '' : ` href="${escapeHtml(href)}"`
      return `<${tag}${attribute}>${renderRichText(children)}</${tag}>`
    })
    .join('')
}
