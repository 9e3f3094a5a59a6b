import { expect, it } from 'vitest'
import { PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import { href } from '#shared/routes.ts'
import {
  fetchRoute,
  journeys,
  openShopper,
  type Shopper,
  takeViolations,
  visit,
} from '#test/support/shopper.ts'
import { openSignedInShopper, storedLine } from '#test/support/signed-in-shopper.ts'

async function rewrite(visitor: Shopper, path: string, from: string, to: string): Promise<void> {
  await visitor.page.route(`**${path}`, async (route) => {
    const response = await fetchRoute(route)
    await route.fulfill({ response, body: (await response.text()).replace(from, to) })
  })
  await visit(visitor, path)
}

// Every journey fails if its pages violate the policy. These tests cause violations on purpose.
journeys('the content security policy', () => {
  it('blocks an image from an origin that is not allowed', async () => {
    const visitor = await openSignedInShopper({
      cart: [storedLine(1, { image: 'https://elsewhere.example/shawl.jpg' })],
    })
    await visit(visitor, '/cart')
    await visitor.page.locator(`img[src="${PLACEHOLDER_IMAGE}"]`).waitFor()
    expect(takeViolations()).toEqual([
      'The policy was violated: img-src by https://elsewhere.example/shawl.jpg',
    ])
  })

  it('blocks injected scripts', async () => {
    const visitor = await openShopper()
    await rewrite(visitor, '/contact', '</body>', '<script>window.stolen = true</script></body>')
    expect(await visitor.page.evaluate(() => 'stolen' in window)).toBe(false)
    await expect.poll(takeViolations).toEqual(['The policy was violated: script-src-elem by inline'])
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
  })

  it('lets React rerender a page that failed to hydrate, including its data block', async () => {
    const visitor = await openShopper()
    await rewrite(visitor, href('product', { id: 1 }), '<h1', '<h2>Not from here</h2><h1')
    await expect.poll(() => visitor.consoleErrors.join()).toContain('Hydration error')
    await visitor.page.getByRole('heading', { level: 1 }).waitFor()
    expect(await visitor.page.getByText('Not from here').count()).toBe(0)
  })
})
