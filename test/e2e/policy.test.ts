import { expect, it } from 'vitest'
import { href, routes } from '#shared/routes.ts'
import { PLACEHOLDER_IMAGE } from '#shared/rules/cart.ts'
import { alive, journeys, type Shopper, shopper, takeViolations, visit } from '#test/support/shopper.ts'
import { signedInShopper, storedLine } from '#test/support/signed-in-shopper.ts'

const addresses = [
  ...Object.values(routes).map(({ path }) => path.replace(':id', '1')),
  href('product', { id: 999_999 }),
  href('shop', {}, { category: 'Toys', page: '2' }),
  href('resetPassword', {}, { oobCode: 'unknown' }),
  '/nowhere',
]
/** What the browser itself says of an answer that a journey asked for. */
const STATUS_LINE = /^Failed to load resource: the server responded with a status of (400|401|404|409) /

/** Asserts that the policy was kept and nothing was logged as an error. */
function expectQuiet({ complaints }: Shopper) {
  expect(complaints.filter((line) => !STATUS_LINE.test(line))).toEqual([])
}

// Every other journey fails too when one of its pages, in whatever state, violates the policy.
journeys('the policy a browser enforces', () => {
  it('is violated by no page, signed in, with a filled cart', async () => {
    const visitor = await signedInShopper({ cart: [storedLine(0), storedLine(3, { qty: 2 })] })
    for (const address of addresses) await visit(visitor, address)
    expectQuiet(visitor)
  })

  it('is violated by no page that a form posted without scripts comes back as', async () => {
    const visitor = await shopper()
    const { page } = visitor
    for (const address of ['/login', '/register', '/contact', '/forgot-password']) {
      await page.goto(address)
      await alive(page)
      const submit = () => {
        const form = document.querySelector<HTMLFormElement>('main form')
        if (form) HTMLFormElement.prototype.submit.call(form)
      }
      await Promise.all([page.waitForEvent('load'), page.evaluate(submit)])
      await alive(page)
    }
    expectQuiet(visitor)
  })

  it('keeps out a picture of an origin that the shop does not name', async () => {
    const visitor = await signedInShopper({
      cart: [storedLine(1, { image: 'https://elsewhere.example/shawl.jpg' })],
    })
    await visit(visitor, '/cart')
    await visitor.page.locator(`img[src="${PLACEHOLDER_IMAGE}"]`).waitFor()
    expect(takeViolations()).toEqual([
      'The policy was violated: img-src by https://elsewhere.example/shawl.jpg',
    ])
  })

  it('is what really keeps foreign code out', async () => {
    const visitor = await shopper()
    await visit(visitor, '/about')
    const ran = await visitor.page.evaluate(async () => {
      const script = document.createElement('script')
      script.textContent = 'window.stolen = true'
      document.body.appendChild(script)
      const image = document.createElement('img')
      image.setAttribute('onerror', 'window.stolen = true')
      image.src = '/nowhere.png'
      document.body.appendChild(image)
      await new Promise((resolve) => image.addEventListener('error', resolve))
      return 'stolen' in window
    })
    expect(ran).toBe(false)
    expect(takeViolations()).toEqual([
      'The policy was violated: script-src-elem by inline',
      'The policy was violated: script-src-attr by inline',
    ])
  })
})
