import { cp, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, inject } from 'vitest'
import { type ServedShop, serveShop } from '#tools/local-shop.ts'
import { findFreePort } from '#tools/ports.ts'

/** Journeys that change what every visitor sees use their own shop. */
export function startOwnShop(): () => ServedShop {
  let stateFolder = ''
  let shop: ServedShop
  beforeAll(async () => {
    stateFolder = await mkdtemp(path.join(tmpdir(), 'pamba-own-'))
    await cp(inject('newDatabase'), stateFolder, { recursive: true })
    const [port, officePort] = [await findFreePort(), await findFreePort()]
    shop = await serveShop({
      port,
      officePort,
      stateFolder,
      vars: { PAYMENTS: 'simulated' },
      onLog: () => {},
    })
  })
  afterAll(async () => {
    await shop.close()
    await rm(stateFolder, { recursive: true, force: true })
  })
  return () => shop
}
