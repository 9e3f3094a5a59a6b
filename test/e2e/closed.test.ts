import { expect, inject, it } from 'vitest'
import { serve } from '#tools/local-shop.ts'
import { freePort } from '#tools/ports.ts'

it.skipIf(!inject('shopUrl'))('a local shop without its secret says so instead of opening', async () => {
  const opening = serve({
    port: await freePort(),
    stateFolder: inject('stateFolder'),
    vars: { COOKIE_SECRET: '' },
  })
  await expect(opening).rejects.toThrow(
    /^The shop is not configured: COOKIE_SECRET is missing: write it into .dev.vars/,
  )
})
