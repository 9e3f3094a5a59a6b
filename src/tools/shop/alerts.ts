import { createECDH } from 'node:crypto'
import type { ShopCommand } from './shop-command.ts'

export function createAlertKeys(): string {
  const ecdh = createECDH('prime256v1')
  ecdh.generateKeys()
  // getPrivateKey() drops leading zeros, which a private key can have.
  const privateKey = Buffer.concat([Buffer.alloc(32), ecdh.getPrivateKey()]).subarray(-32)
  return `${ecdh.getPublicKey('base64url')}.${privateKey.toString('base64url')}`
}

export const printAlertKeysCommand: ShopCommand = {
  summary: 'generate a key pair for push alerts, to set as VAPID_KEYS',
  async run() {
    const keys = createAlertKeys()
    return { text: keys, json: { VAPID_KEYS: keys } }
  },
}
