import { STOCK_ALERTS_END_PATH } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { isSignatureOf, signatureOf } from '../auth/signed-link.ts'
import { base64Url } from '../crypto.ts'
import type { Deps } from '../deps.ts'
import { mailBody } from './layout.ts'
import type { Mail } from './mailer.ts'

const PURPOSE = 'end stock alerts'

type BackInStock = { itemId: number; name: string; email: string; link: string; endLink: string }

/** Tells once that an item is there again, to somebody who asked for it. */
export function backInStockMail({ itemId, name, email, link, endLink }: BackInStock): Mail {
  return {
    kind: 'back-in-stock',
    subjectId: String(itemId),
    recipient: email,
    subject: `${name} is back`,
    ...mailBody(`${name} is back`, [
      {
        kind: 'paragraph',
        text: `You asked ${shop.name} to tell you when it is there again. It is, for as long as it lasts.`,
      },
      { kind: 'link', label: 'Have a look', address: link },
      {
        kind: 'paragraph',
        text: 'We tell you once, and have taken your address off the list for it. If you do not want to be told of other products either:',
      },
      { kind: 'link', label: 'End all such mails', address: endLink },
    ]),
  }
}

/** The link that ends all alerts to an address; it names the address, and only this shop can make it. */
export async function alertsEndLink(
  email: string,
  origin: string,
  deps: Pick<Deps, 'config'>,
): Promise<string> {
  const name = base64Url(new TextEncoder().encode(email))
  const code = `${name}.${await signatureOf(PURPOSE, email, deps)}`
  return `${origin}${STOCK_ALERTS_END_PATH}?${new URLSearchParams({ code })}`
}

/** The address in the code of such a link; undefined for a code that this shop did not make. */
export async function emailOfEndCode(code: string, deps: Pick<Deps, 'config'>): Promise<string | undefined> {
  const [name = '', signature = ''] = code.split('.')
  const email = decoded(name)
  return email !== undefined && (await isSignatureOf(signature, PURPOSE, email, deps)) ? email : undefined
}

function decoded(name: string): string | undefined {
  try {
    const bytes = atob(name.replaceAll('-', '+').replaceAll('_', '/'))
    return new TextDecoder('utf-8', { fatal: true }).decode(
      Uint8Array.from(bytes, (byte) => byte.charCodeAt(0)),
    )
  } catch {
    return undefined
  }
}
