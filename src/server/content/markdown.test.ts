import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { TEXT_NAMES } from '#shared/content/content.ts'
import { CONTENT_SCHEMAS } from './content-schema.ts'
import { getDefaultMarkdown, parseDefaultText } from './default-texts.ts'
import { parseMarkdown, parseMarkdownLine } from './markdown.ts'
import { renderRichText } from './rich-html.ts'

const renderMarkdown = (text: string) => renderRichText(parseMarkdown(text))

describe('the Markdown renderer', () => {
  it.each([
    ['One.\nTwo.\n\nThree.', '<p>One.<br>Two.</p><p>Three.</p>'],
    ['**Bold** and *italic*', '<p><strong>Bold</strong> and <em>italic</em></p>'],
    ['- One\n- Two\n  - Three', '<ul><li>One</li><li>Two<ul><li>Three</li></ul></li></ul>'],
    ['1. One\n2. Two', '<ol><li>One</li><li>Two</li></ol>'],
    ['- One\n\n- Two', '<ul><li><p>One</p></li><li><p>Two</p></li></ul>'],
    ['[Sizes](/about#sizes)', '<p><a href="/about#sizes">Sizes</a></p>'],
    ['[Call](tel:+254712345678)', '<p><a href="tel:+254712345678">Call</a></p>'],
    [
      'See https://a.example/?b&c',
      '<p>See <a href="https://a.example/?b&amp;c">https://a.example/?b&amp;c</a></p>',
    ],
    ['Email hi@pamba.example', '<p>Email <a href="mailto:hi@pamba.example">hi@pamba.example</a></p>'],
    ['Open 9.30 to 17.00, pamba.example', '<p>Open 9.30 to 17.00, pamba.example</p>'],
    ['# Heading\n\n> Quote `code` &amp;', '<p># Heading</p><p>&gt; Quote `code` &amp;amp;</p>'],
    ['', ''],
  ])('turns %j into HTML', (text, expected) => {
    expect(renderMarkdown(text)).toBe(expected)
  })

  it.each([
    '<script>alert(1)</script>',
    '<img src=x onerror=alert(1)>',
    '![x](javascript:alert(1))',
    '[x](javascript:alert(1))',
    '[x](JaVaScRiPt:alert(1))',
    '[x](java\nscript:alert(1))',
    '[x](&#106;avascript:alert(1))',
    '[x](data:text/html,<script>alert(1)</script>)',
    '[x](vbscript:msgbox)',
    '[x](//evil.example)',
    '[x](/\\evil.example)',
    '[x](\\\\evil.example)',
    '[x](<javascript:alert(1)>)',
    '[x]: javascript:alert(1)\n\n[x]',
    '<javascript:alert(1)>',
    '[x](https://a.example" onmouseover="alert(1))',
    '[x](https://a.example \'title" onclick="alert(1)\')',
    '**<b onclick=alert(1)>**',
  ])('renders %j without its HTML or dangerous links', (text) => {
    for (const result of [renderMarkdown(text), renderRichText(parseMarkdownLine(text))]) {
      const tags = result.match(/<[^>]*>/g) ?? []
      expect(
        tags.filter((tag) => !/^<(\/?(p|strong|ul|ol|li|em|a)|br|a href="https:[^"]*")>$/.test(tag)),
      ).toEqual([])
    }
  })

  it('produces only allowed elements and links for any text', () => {
    const piece = fc.constantFrom(
      ...[
        '[',
        ']',
        '(',
        ')',
        '*',
        '**',
        '_',
        '<',
        '>',
        '"',
        '\\',
        '\n',
        '\n\n',
        '- ',
        '1. ',
        '    ',
        '`',
        '!',
        '&',
        ':',
      ],
      ...[
        'javascript',
        'data',
        'https://a.example',
        '//',
        '/about',
        'mailto:',
        'a@b.example',
        '\0',
        '\uD800',
        'é',
        '<b>',
      ],
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
        const nodes = parseMarkdown(pieces.join(''))
        expect(CONTENT_SCHEMAS.returns.shape.nodes.safeParse(nodes).success).toBe(true)
        expect(renderRichText(nodes)).not.toMatch(/href="(?!https?:|mailto:|tel:|\/(?!\/)|#)/)
      }),
    )
  })

  it.each(['[', '*a', '*_', '- ', '1. ', '>', '![[', '[a](', '\\', '`', '<a '])(
    'renders 10,000 characters of %j without overflowing the stack',
    (piece) => {
      expect(renderMarkdown(piece.repeat(10_000 / piece.length)).length).toBeGreaterThan(0)
    },
  )
})

describe('a default text', () => {
  it.each(TEXT_NAMES)('is the same whether parsed by the library or prepared without it: %s', (name) => {
    const contact = { email: 'hi@pamba.example' }
    expect(parseDefaultText(name, contact)).toEqual(parseMarkdown(getDefaultMarkdown(name, contact)))
  })
})
