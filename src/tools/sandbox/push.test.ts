import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { createPushSender } from '#server/team/push.ts'
import { createAlertKeys } from '../shop/alerts.ts'
import { openPushSandbox } from './push.ts'

const sandbox = await openPushSandbox({})
const sender = createPushSender({ VAPID_KEYS: createAlertKeys(), OPERATOR_EMAIL: 'orders@pamba.test' })
const message = { title: 'New order P-7K3M9Q: KSH 31,610', url: '/orders/P-7K3M9Q', tag: 'alert-1' }

function register() {
  const { endpoint, keys } = sandbox.register()
  return { endpoint, ...keys }
}

beforeEach(() => {
  sandbox.received.length = 0
})
afterAll(() => sandbox.close())

describe('a push alert', () => {
  it('is encrypted for its device, signed, and decrypted by the sandbox', async () => {
    const device = register()
    expect(await sender?.send(device, message)).toBe('sent')
    expect(sandbox.received).toEqual([{ device: device.endpoint.split('/').at(-1), ...message }])
    expect(await (await fetch(sandbox.url)).text()).toContain('New order P-7K3M9Q: KSH 31,610')
  })

  it('can’t be read with another device’s keys', async () => {
    const [device, other] = [register(), register()]
    expect(await sender?.send({ ...other, endpoint: device.endpoint }, message)).toBe('failed')
    expect(sandbox.received).toEqual([])
  })

  it('reports its device as gone if it has unsubscribed or is unknown', async () => {
    const device = register()
    sandbox.forgetDevices()
    expect(await sender?.send(device, message)).toBe('gone')
    expect(await sender?.send({ ...device, endpoint: `${sandbox.url}/push/unknown` }, message)).toBe('gone')
  })

  it.each(['down', 'broken', 'unavailable'] as const)(
    'fails while the service is %s, and is sent afterwards',
    async (how) => {
      const device = register()
      await sandbox.fail(how)
      expect(await sender?.send(device, message)).toBe('failed')
      await sandbox.fail()
      expect(await sender?.send(device, message)).toBe('sent')
    },
  )

  it('can’t be sent without keys', () => {
    expect(createPushSender({ VAPID_KEYS: undefined, OPERATOR_EMAIL: 'orders@pamba.test' })).toBeUndefined()
  })
})
