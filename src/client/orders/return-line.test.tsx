import { renderToStaticMarkup } from 'react-dom/server'
import { expect, it } from 'vitest'
import { ReturnLine } from './return-line.tsx'

it('asks for a quantity unless the order has only one unit to return', () => {
  const entered = { values: {}, errors: {}, firstInvalid: undefined }
  const render = (left: number, isOnly: boolean) => {
    const line = { productId: 1, unitPriceCents: 100_00, name: 'Kikoi Wrap Dress, S', left, sizes: [] }
    return renderToStaticMarkup(
      <ReturnLine line={line} image={undefined} index={0} isOnly={isOnly} entered={entered} />,
    )
  }
  expect(render(1, true)).toContain('<input type="hidden" name="qty-0" value="1"/>')
  expect(render(1, true)).not.toMatch(/stepper|Up to/)
  expect(render(2, true)).toMatch(/Up to 2.*name="qty-0".*value="1"/)
  expect(render(1, false)).toMatch(/Up to 1.*name="qty-0".*value="0"/)
})

it('shows all sizes without scripts, with a link to the size guide', () => {
  const entered = { values: {}, errors: {}, firstInvalid: undefined }
  const sizes = [{ id: 2, label: 'M', priceCents: 100_00, isSoldOut: false }]
  const line = { productId: 1, unitPriceCents: 100_00, name: 'Kikoi Wrap Dress, S', left: 1, sizes }
  const html = renderToStaticMarkup(
    <ReturnLine line={line} image={undefined} index={0} isOnly={false} entered={entered} />,
  )
  expect(html).toContain('href="/about#sizes"')
  expect(html).not.toContain('hidden=""')
})

it('marks the sizes as invalid, with the message right after them', () => {
  const entered = { values: {}, errors: { 'for-0': 'Please choose a size.' }, firstInvalid: 'for-0' }
  const sizes = [{ id: 2, label: 'M', priceCents: 100_00, isSoldOut: false }]
  const line = { productId: 1, unitPriceCents: 100_00, name: 'Kikoi Wrap Dress, S', left: 1, sizes }
  const html = renderToStaticMarkup(
    <ReturnLine line={line} image={undefined} index={0} isOnly={true} entered={entered} />,
  )
  expect(html).toMatch(
    /<fieldset [^>]*aria-invalid="true".*Another item<\/label><\/div><div id="for-0-error" [^>]*>Please choose a size\./,
  )
})

it('says how to exchange several units of an item for different sizes', () => {
  const entered = { values: {}, errors: {}, firstInvalid: undefined }
  const sizes = [{ id: 2, label: 'M', priceCents: 100_00, isSoldOut: false }]
  const render = (left: number) => {
    const line = { productId: 1, unitPriceCents: 100_00, name: 'Kikoi Wrap Dress, S', left, sizes }
    return renderToStaticMarkup(
      <ReturnLine line={line} image={undefined} index={0} isOnly={true} entered={entered} />,
    )
  }
  expect(render(2)).toContain('a separate request for each size')
  expect(render(1)).not.toContain('a separate request for each size')
})
