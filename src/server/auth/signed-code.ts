import { timingSafeEqual } from 'node:crypto'
import { base64Url } from '../crypto.ts'
import type { Deps } from '../deps.ts'

const encoder = new TextEncoder()

/** A code that only this shop can make for a text and a purpose; it goes into links in mails. */
export function signatureOf(
  purpose: string,
  text: string,
  { config }: Pick<Deps, 'config'>,
): Promise<string> {
  return signWith(config.COOKIE_SECRET, purpose, text)
}

/** Whether a code was made by {@link signatureOf} for this text and purpose, with the present or the previous secret. */
export async function isSignatureOf(
  code: string,
  purpose: string,
  text: string,
  { config }: Pick<Deps, 'config'>,
): Promise<boolean> {
  for (const secret of [config.COOKIE_SECRET, config.COOKIE_SECRET_PREVIOUS]) {
    if (!secret) continue
    const [given, made] = [code, await signWith(secret, purpose, text)].map((part) => encoder.encode(part))
    if (given && made && given.byteLength === made.byteLength && timingSafeEqual(given, made)) return true
  }
  return false
}

async function signWith(secret: string, purpose: string, text: string): Promise<string> {
  const algorithm = { name: 'HMAC', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign'])
  const message = encoder.encode(JSON.stringify([purpose, text]))
  return base64Url(new Uint8Array(await crypto.subtle.sign('HMAC', key, message)))
}
