import type { ContactDetails, RichText, RichTextNode, TextName } from '#shared/content/content.ts'
import type { ReturnReason } from '#shared/orders/returns.ts'
import { RETURN_DAYS } from '#shared/retention.ts'
import { href } from '#shared/routes.ts'
import { shop, shopProfile } from '#shared/shop.ts'
import type { ContentValues } from './content-schema.ts'

export const DEFAULT_CONTACT: ContactDetails = {
  email: shop.email,
  phone: '',
  whatsapp: shop.whatsapp,
  social: shopProfile.social,
  code: shopProfile.code,
  calendar: shopProfile.calendar,
}

export const DEFAULT_PAYMENTS: ContentValues['payments'] = {
  cashOnDelivery: false,
  cashMaxKsh: null,
  cashCounties: [],
  payByHand: false,
}

const LINK_PATTERN = /\[([^\]]+)\]\(([^)]+)\)/

/** Returns what {@link parseMarkdown} would return. Supports only paragraphs and links. */
export function parseDefaultText(name: TextName, contact: Pick<ContactDetails, 'email'>): RichText {
  const paragraphs = getDefaultMarkdown(name, contact).split('\n\n').filter(Boolean)
  return paragraphs.map((paragraph) => ['p', withLinks(paragraph)])
}

type ReturnTexts = { returns: RichText; contact: ContactDetails }

/** Summarises the default rules for returns. Returns null if the owner has written others. */
export function getReturnCosts({ returns, contact }: ReturnTexts, reason?: ReturnReason): string | null {
  if (JSON.stringify(returns) !== JSON.stringify(parseDefaultText('returns', contact))) return null
  if (reason === 'faulty') return 'We cover return shipping, so please keep the courier’s receipt.'
  return reason === undefined || reason === 'different'
    ? 'You pay for return shipping, unless they arrived damaged or wore out too soon.'
    : 'You pay for return shipping.'
}

function withLinks(text: string): RichTextNode[] {
  const [, label, url] = LINK_PATTERN.exec(text) ?? []
  if (label === undefined || url === undefined) return text ? [text] : []
  const [before = '', ...rest] = text.split(`[${label}](${url})`)
  const after = rest.join(`[${label}](${url})`)
  return [...(before ? [before] : []), ['a', [label], url], ...withLinks(after)]
}

export function getDefaultMarkdown(name: TextName, { email }: Pick<ContactDetails, 'email'>): string {
  const emailLink = `[${email}](mailto:${email})`
  const texts: Record<TextName, readonly string[]> = {
    story: [],
    philosophy: [
      `A favourite dress is climbed in, slept in, washed on Sunday and handed down to a cousin. So we start with the cloth: organic cotton, kikoi and kitenge, woven and dyed close to ${shop.city} by people we know by name.`,
      'We cut for movement, sew every seam twice and leave room to grow. What wears thin can be mended, and what is outgrown is still good enough to give away.',
    ],
    sizes: [],
    privacy: [
      `We store only what we need to take your orders and deliver them. It’s stored in ${shop.name}’s database at Cloudflare, with backups kept for 30 days. Our logs contain no names or addresses. Cloudflare also sends our emails and runs the security check at login.`,
      'The rider gets your name, address and phone number. Safaricom sees the amount you pay and the phone number you use. Paystack sees the amount, your email address and your card. If there’s a live chat on our home page, the company that runs it can see your visit and what you write. We share your data with no one else, and we never sell it.',
      `You can [download your data or delete your account](${href('accountData')}) yourself at any time, and [correct your details](${href('accountDetails')}). For anything else, email ${emailLink}. If we can’t resolve it, you can complain to Kenya’s Office of the Data Protection Commissioner.`,
    ],
    delivery: [
      'We’ll email you when your order is packed and when it leaves our shop. Add a phone number at checkout so the rider can call ahead. If you’re out, we’ll arrange another time.',
      'You can cancel an order until it’s packed, and we’ll refund your original payment method.',
    ],
    returns: [
      `Wrong fit or changed your mind? Return it within ${RETURN_DAYS} days, unworn and unwashed, for an exchange or a refund. Send it to us by courier at your own cost.`,
      'Did something arrive damaged, or wear out too soon? We’ll repair it, replace it or refund you, and cover the return cost.',
      `To request any of these, [find your order](${href('findOrder')}) and use the form on its page, or email ${emailLink} with the order number. We reply ${shop.replyPromise}. Refunds go to your original payment method.`,
    ],
    hours: [],
  }
  return texts[name].join('\n\n')
}
