/** An element of a drawing. */
type Element = { tag: string; attributes: Record<string, string>; children: Element[] }

/** The sizes of this project's own drawings; in others, what looks like detail may be all there is. */
const OWN_DRAWING = /^<svg [^>]*viewBox="0 0 (320 400|400 300|960 1080)"[^>]*>/
const TAG = /<(\/?)(\w+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>/g
const ATTRIBUTE = /([\w:-]+)="([^"]*)"/g
/** Below this, an element only shades. */
const VISIBLE_OPACITY = 0.5
/** Lines up to this width, in the drawing's units, are seams and creases. */
const THIN_LINE = 2
const THIN_DASH = 5

/**
 * The same drawing with less in it, for visitors who save data: no shadows, creases, seams and ground weave, and whole
 * numbers. Its shapes, colours and patterns stay. A drawing of another size is returned as it is.
 */
export function simplifyDrawing(svg: string): string {
  if (!OWN_DRAWING.test(svg)) return svg
  const root = pruned(parse(svg))
  for (let size = -1; size !== print(root).length; ) {
    size = print(root).length
    dropUnused(root)
  }
  return print(root)
}

function parse(svg: string): Element {
  const open: Element[] = [{ tag: '', attributes: {}, children: [] }]
  for (const [, closes, tag = '', text = '', isEmpty] of svg.matchAll(TAG)) {
    if (closes) {
      open.pop()
      continue
    }
    const pairs = Array.from(text.matchAll(ATTRIBUTE), ([, name = '', value = '']) => [name, value])
    const element: Element = { tag, attributes: Object.fromEntries(pairs), children: [] }
    open.at(-1)?.children.push(element)
    if (!isEmpty) open.push(element)
  }
  const [root] = open[0]?.children ?? []
  if (!root) throw new Error('A drawing has no root element.')
  return root
}

function print({ tag, attributes, children }: Element): string {
  const texts = Object.entries(attributes).map(
    ([name, value]) => ` ${name}="${name === 'd' ? roundPath(value) : value}"`,
  )
  const start = `<${tag}${texts.join('')}`
  return children.length > 0 ? `${start}>${children.map(print).join('')}</${tag}>` : `${start}/>`
}

function pruned(element: Element): Element {
  const children = element.children
    .filter((child) => !isDetail(child))
    .map(pruned)
    .filter(({ tag, children }) => tag !== 'g' || children.length > 0)
    .flatMap(unclipped)
  return { ...element, children }
}

/** Whether an element is detail: a shade, a seam, a crease, or what the ground is woven of. */
function isDetail({ tag, attributes }: Element): boolean {
  const { id, fill, stroke, opacity, 'stroke-opacity': strokeOpacity } = attributes
  const width = Number(attributes['stroke-width'] ?? THIN_LINE)
  if (Number(opacity ?? 1) < VISIBLE_OPACITY || Number(strokeOpacity ?? 1) < VISIBLE_OPACITY) return true
  if (/^url\(#[A-Z]\)$/.test(fill ?? '')) return true
  if ('stroke-dasharray' in attributes) return width < THIN_DASH
  const isLine = tag === 'path' && !id && stroke !== undefined && (fill === undefined || fill === 'none')
  return isLine && width <= THIN_LINE
}

/** A group that clips a shape to itself needs no clip. */
function unclipped(element: Element): Element[] {
  const clip = /^url\(#(\w+)_\)$/.exec(element.attributes['clip-path'] ?? '')?.[1]
  const isItself = ({ tag, attributes: { href, x, y } }: Element) =>
    tag === 'use' && href === `#${clip}` && !x && !y
  return clip && element.children.every(isItself) ? element.children : [element]
}

/** Removes definitions that nothing refers to, and unused ids. */
function dropUnused(root: Element): void {
  const used = new Set(Array.from(print(root).matchAll(/(?:url\(|href=")#(\w+)/g), ([, id]) => id))
  const visit = (element: Element): void => {
    element.children = element.children.flatMap((child) => {
      const { id } = child.attributes
      const isUnused = id !== undefined && !used.has(id)
      if (isUnused && child.tag === 'clipPath') return child.children
      if (isUnused && (element.tag === 'defs' || /Gradient|pattern/.test(child.tag))) return []
      if (isUnused) delete child.attributes.id
      return [child]
    })
    element.children.forEach(visit)
  }
  visit(root)
}

/** How many numbers each command of a path takes; arcs, whose flags are written together, are left alone. */
const PARAMETER_COUNTS: Record<string, number> = { m: 2, l: 2, h: 1, v: 1, c: 6, s: 4, q: 4, t: 2, z: 0 }

/** A path rounded to whole units; rounding errors do not accumulate from point to point. */
function roundPath(path: string): string {
  if (/a/i.test(path)) return path
  const exact = [0, 0]
  const whole = [0, 0]
  let start = [0, 0, 0, 0]
  let rounded = ''
  for (const [, command = '', text = ''] of path.matchAll(/([a-z])([^a-z]*)/gi)) {
    const kind = command.toLowerCase()
    const isRelative = kind === command
    const numbers = Array.from(text.matchAll(/-?(?:\d+\.?\d*|\.\d+)/g), Number)
    rounded += command
    if (kind === 'z') {
      ;[exact[0], exact[1], whole[0], whole[1]] = start as [number, number, number, number]
      continue
    }
    const takes = PARAMETER_COUNTS[kind] ?? 2
    for (let from = 0; from < numbers.length; from += takes) {
      const end = [...exact]
      const wholeEnd = [...whole]
      numbers.slice(from, from + takes).forEach((number, index) => {
        const axis = kind === 'v' ? 1 : kind === 'h' ? 0 : index % 2
        const at = number + (isRelative ? (exact[axis] ?? 0) : 0)
        const shown = Math.round(at) - (isRelative ? (whole[axis] ?? 0) : 0)
        const isApart = shown >= 0 && /\d$/.test(rounded)
        rounded += `${isApart ? ' ' : ''}${shown}`
        end[axis] = at
        wholeEnd[axis] = Math.round(at)
      })
      ;[exact[0], exact[1]] = end as [number, number]
      ;[whole[0], whole[1]] = wholeEnd as [number, number]
      if (kind === 'm' && from === 0) start = [...exact, ...whole]
    }
  }
  return rounded
}
