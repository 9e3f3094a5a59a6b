import type { ComponentProps } from 'react'
import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ReturnLine } from './return-line.tsx'

type Props = ComponentProps<typeof ReturnLine>

const SIZES = [{ id: 2, label: 'M', priceCents: 100_00, isSoldOut: false }]

function render(line: Partial<Props['line']>, isOnly: boolean, errors: Props['entered']['errors'] = {}) {
  const dress = { productId: 1, unitPriceCents: 100_00, name: 'Kikoi Wrap Dress, S', left: 1 }
  const entered = { values: {}, errors, firstInvalid: Object.keys(errors)[0] }
  return renderToStaticMarkup(
    <ReturnLine
      line={{ ...dress, scale: 'clothing', sizes: SIZES, ...line }}
      image={undefined}
      index={0}
      isOnly={isOnly}
      entered={entered}
    />,
  )
}

it('asks for a quantity of several units, and whether to return a single one unless it is the only item', () => {
  const single = render({ sizes: [] }, true)
  expect(single).toContain('<input type="hidden" name="qty-0" value="1"/>')
  expect(single).not.toMatch(/stepper|Up to/)
  expect(render({ left: 2, sizes: [] }, true)).toMatch(/Up to 2.*name="qty-0".*value="1"/)
  expect(render({ left: 2, sizes: [] }, false)).toMatch(/Up to 2.*name="qty-0".*value="0"/)
  const choice = render({ sizes: [] }, false)
  expect(choice).toMatch(/<input type="checkbox" [^>]*name="qty-0" value="1"\/>Choose/)
  expect(choice).not.toMatch(/stepper|Up to|checked/)
})

it('shows all sizes without JavaScript, with a link to their size guide', () => {
  const html = render({}, false)
  expect(html).toContain('href="/about#size-guide-clothing"')
  expect(html).not.toContain('hidden=""')
  expect(render({ scale: null }, false)).toContain('href="/about#sizes"')
})

it('marks the sizes as invalid, with the message right after them', () => {
  expect(render({}, true, { 'for-0': 'Please choose a size.' })).toMatch(
    /<fieldset [^>]*aria-invalid="true".*Another item<\/label><\/div><div id="for-0-error" [^>]*>Please choose a size\./,
  )
})

it('says how to exchange several units of an item for different sizes', () => {
  expect(render({ left: 2 }, true)).toContain('a separate request for each size')
  expect(render({}, true)).not.toContain('a separate request for each size')
})
