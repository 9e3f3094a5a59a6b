import { expect, it } from 'vitest'
import { href, routes } from '#shared/routes.ts'
import { PLACEHOLDER_IMAGE } from '#shared/rules/cart.ts'
import { hydrated, journeys, type Shopper, shopper, takeViolations, visit } from '#test/support/shopper.ts'
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
/** Opens a page whose markup was changed on the way. */
async function rewrite(visitor: Shopper, address: string, from: string, to: string): Promise<void> {
  await visitor.page.route(`**${address}`, async (route) => {
    const response = await route.fetch()
    await route.fulfill({ response, body: (await response.text()).replace(from, to) })
  })
  await visit(visitor, address)
}

journeys('the policy a browser enforces', () => {
  it('is violated by no page, signed in, with a filled cart', async () => {
    const visitor = await signedInShopper({ cart: [storedLine(0), storedLine(3, { qty: 2 })] })
    for (const address of addresses) await visit(visitor, address)
    expectQuiet(visitor)
  })

  it('is violated by no page that a form posted without scripts comes back as', async () => {
    const visitor = await shopper()
    const { page } = visitor
    for (const address of ['/login', '/register', '/contact', '/forgot-password', '/reset-password']) {
      await page.goto(address)
      await hydrated(page)
      const submit = () => {
        // A reset link that was never made shows no form.
        const form = document.querySelector('main form') ?? document.createElement('form')
        if (form instanceof HTMLFormElement && !form.isConnected)
          document.body.appendChild(Object.assign(form, { method: 'post' }))
        HTMLFormElement.prototype.submit.call(form)
      }
      await Promise.all([page.waitForEvent('load'), page.evaluate(submit)])
      await hydrated(page)
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
    const thrown = await visitor.page.evaluate(() => {
      const code = 'window.stolen = true'
      const script = document.createElement('script')
      const image = document.createElement('img')
      const writes = [
        () => script.setAttribute('src', 'data:,'),
        () => Object.assign(script, { textContent: code }),
        () => image.setAttribute('onerror', code),
        () => Object.assign(document.createElement('p'), { innerHTML: `<img src=x onerror="${code}">` }),
      ]
      return writes.map((write) => {
        try {
          write()
          return 'written'
        } catch (error) {
          return String(error).slice(0, 9)
        }
      })
    })
    expect(thrown).toEqual(Array(thrown.length).fill('TypeError'))
    const sink = 'The policy was violated: require-trusted-types-for by trusted-types-sink'
    await expect.poll(takeViolations).toEqual(Array(thrown.length).fill(sink))
    // Code that came with the markup itself.
    await rewrite(visitor, '/contact', '</body>', '<script>window.stolen = true</script></body>')
    expect(await visitor.page.evaluate(() => 'stolen' in window)).toBe(false)
    await expect.poll(takeViolations).toEqual(['The policy was violated: script-src-elem by inline'])
  })

  it('lets React render a page anew that it could not hydrate, its data block included', async () => {
    const visitor = await shopper()
    await rewrite(visitor, href('product', { id: 1 }), '<h1', '<h2>Not from here</h2><h1')
    expect(visitor.complaints.join()).toContain('Hydration error')
    await visitor.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await visitor.page.getByText('Not from here').count()).toBe(0)
  })
})
