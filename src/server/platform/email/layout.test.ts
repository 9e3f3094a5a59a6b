import { describe, expect, it } from 'vitest'
import { shop } from '#shared/shop.ts'
import { renderEmail } from './layout.ts'
import { fillContactDetails, ORDER_LINK, SHOP_EMAIL, SHOP_PHONE } from './mailer.ts'

describe('the email layout', () => {
  it('renders the same content as plain text and HTML', () => {
    const { text, html } = renderEmail('Asante, Wanjiru!', [
      { kind: 'paragraph', text: 'Your order is on its way.' },
      {
        kind: 'rows',
        rows: [
          { label: 'Kanga dress × 2', value: 'KSH 2400' },
          { label: 'Total', value: 'KSH 2784', isStrong: true },
        ],
      },
      { kind: 'link', label: 'See your orders', url: 'https://pamba.example/dashboard' },
    ])
    expect(text).toBe(
      [
        'Asante, Wanjiru!',
        'Your order is on its way.',
        'Kanga dress × 2: KSH 2400\nTotal: KSH 2784',
        'See your orders:\nhttps://pamba.example/dashboard',
        `${shop.name}, ${shop.city}\n${SHOP_EMAIL}${SHOP_PHONE}\n`,
      ].join('\n\n'),
    )
    for (const words of [
      'Asante, Wanjiru!',
      'Kanga dress × 2',
      'KSH\u00a02784',
      'See your orders',
      `${shop.name}, ${shop.city}`,
    ])
      expect(html).toContain(words)
  })

  it('wraps long values of rows on a phone, but not their amounts', () => {
    const value = 'exchange for Bamboo Long Sleeve Snap Romper, or KSH 2,784'
    const { html } = renderEmail('Your request', [{ kind: 'rows', rows: [{ label: 'Kanga dress', value }] }])
    expect(html).not.toContain('nowrap')
    expect(html).toContain('>exchange for Bamboo Long Sleeve Snap Romper, or KSH\u00a02,784<')
  })

  it('keeps amounts and order numbers in its HTML on one line', () => {
    const text = `You paid KSH 2,784 for order ${shop.orderPrefix}-7K3M9Q.`
    const { html } = renderEmail('Payment received', [{ kind: 'paragraph', text }])
    const number = `<span style="white-space:nowrap">${shop.orderPrefix}-7K3M9Q</span>`
    expect(html).toContain(`>You paid KSH\u00a02,784 for order ${number}.<`)
  })

  it('escapes user input', () => {
    const evil = '<img src=x onerror="alert(1)"> & co'
    const { html } = renderEmail(evil, [
      { kind: 'paragraph', text: evil },
      { kind: 'rows', rows: [{ label: evil, value: evil }] },
      { kind: 'link', label: evil, url: `https://pamba.example/?q="${evil}` },
      { kind: 'quote', text: evil },
    ])
    expect(html).not.toContain('<img')
    expect(html).not.toContain('"alert')
    expect(html.match(/&lt;img src=x onerror=&quot;alert\(1\)&quot;&gt; &amp; co/g)).toHaveLength(7)
  })

  it('keeps the placeholder of the order’s link only as the URL of a link', () => {
    const typed = ORDER_LINK
    const { text, html } = renderEmail(typed, [
      { kind: 'paragraph', text: typed },
      { kind: 'rows', rows: [{ label: typed, value: typed }] },
      { kind: 'quote', text: `x ${typed}` },
      { kind: 'link', label: typed, url: ORDER_LINK },
    ])
    for (const body of [text, html]) expect(body.split(ORDER_LINK)).toHaveLength(2)
    expect(text.split('%\u2060ORDER_LINK%')).toHaveLength(7)
  })

  it('is signed with the shop’s published email address and phone, and fills no placeholder that was typed', () => {
    const typed = `${SHOP_EMAIL} ${SHOP_PHONE}`
    const email = renderEmail(typed, [{ kind: 'paragraph', text: typed }])
    const withPhone = fillContactDetails(email, { email: 'a@pamba.test', phone: '0712 <000>' })
    expect(withPhone.text).toMatch(/\na@pamba\.test\n0712 <000>\n$/)
    expect(withPhone.html).toContain('a@pamba.test</a><br>0712 &lt;000&gt;</p>')
    for (const body of [withPhone.text, withPhone.html]) expect(body.split('0712')).toHaveLength(2)
    const { text, html } = fillContactDetails(email, { email: 'a@pamba.test', phone: '' })
    expect(text).toMatch(/\na@pamba\.test\n$/)
    expect(html).toContain('a@pamba.test</a></p>')
  })

  it('quotes every line of a message', () => {
    const { text } = renderEmail('A message', [{ kind: 'quote', text: 'Habari\r\n\nI like > your shop' }])
    expect(text).toContain('> Habari\n> \n> I like > your shop')
  })
})
