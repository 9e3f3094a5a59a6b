import MarkdownIt, { type Token } from 'markdown-it'
import { isAllowedLink, type RichText, type RichTextNode, type RichTextTag } from '#shared/content/content.ts'

/** All other syntax, such as HTML, headings, images and code, is shown as typed. */
const MARKDOWN_RULES = ['escape', 'newline', 'emphasis', 'link', 'linkify', 'list']

const markdown = new MarkdownIt('zero', { breaks: true, linkify: true }).enable(MARKDOWN_RULES)
markdown.linkify.set({ fuzzyLink: false, fuzzyIP: false })
markdown.validateLink = isAllowedLink

const TAG_BY_TOKEN: Readonly<Record<string, RichTextTag>> = {
  paragraph: 'p',
  bullet_list: 'ul',
  ordered_list: 'ol',
  list_item: 'li',
  strong: 'strong',
  em: 'em',
  link: 'a',
}

export function parseMarkdown(text: string): RichText {
  return toNodes(markdown.parse(text, {}))
}

export function parseMarkdownLine(text: string): RichText {
  return toNodes(markdown.parseInline(text.replace(/\s+/g, ' ').trim(), {}))
}

function toNodes(tokens: readonly Token[]): RichTextNode[] {
  const stack: { tag?: RichTextTag; href?: string; children: RichTextNode[] }[] = [{ children: [] }]
  const add = (...nodes: readonly RichTextNode[]) => stack.at(-1)?.children.push(...nodes)
  for (const token of tokens) {
    const tag = TAG_BY_TOKEN[token.type.replace(/_(open|close)$/, '')]
    // If a list has no blank lines, markdown-it hides the paragraphs of its items.
    if (token.hidden) continue
    if (tag && token.nesting === 1) {
      const href = token.attrGet('href')
      stack.push({ tag, children: [], ...(href !== null && { href: String(href) }) })
    } else if (tag && token.nesting === -1) {
      const { tag: closed = tag, children, href } = stack.pop() ?? { children: [] }
      add(href === undefined ? [closed, children] : [closed, children, href])
    } else if (token.children) add(...toNodes(token.children))
    else if (token.type === 'hardbreak' || token.type === 'softbreak') add(['br', []])
    else if (token.content) addText(token.content)
  }
  return stack[0]?.children ?? []

  function addText(text: string) {
    const children = stack.at(-1)?.children
    const last = children?.at(-1)
    if (children && typeof last === 'string') children[children.length - 1] = last + text
    else add(text)
  }
}
