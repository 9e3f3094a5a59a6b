import { eq } from 'drizzle-orm'
import { expect, it } from 'vitest'
import { createApp } from '#server/app.ts'
import { createOrderKey } from '#server/platform/auth/signed-link.ts'
import { orders, outbox } from '#server/platform/db/schema.ts'
import type { OrderRequest } from '#shared/orders/contract.ts'
import {
  getOrderFieldDefinition,
  ORDER_FIELDS,
  type OrderField,
  type OrderFieldPlace,
} from '#shared/orders/fields.ts'
import { createAccount } from '#test/support/account.ts'
import { testContext } from '#test/support/context.ts'
import { createOfficeClient, officeContext } from '#test/support/office.ts'
import { orderRequest, postOrder } from '#test/support/orders.ts'
import { readText } from '#test/support/pdf.ts'

const ctx = testContext()
const app = createApp(ctx)
const owner = await createAccount(ctx, { name: 'Another Name' })

const fieldTexts = Object.fromEntries(
  ORDER_FIELDS.map((field) => [field, getOrderFieldDefinition(field).choice?.options[0] ?? `${field}-zq`]),
) as Record<OrderField, string>
const billing = {
  ...fieldTexts,
  email: 'email-zq@shopper.test',
  phone: '0712 345 678',
  kraPin: 'A123456789Z',
  state: 'Eldoret',
} satisfies OrderRequest['billing']

const number = (await postOrder(ctx, owner, orderRequest(undefined, { billing }))).body.order.number

const visibleText = (html: string) =>
  html
    .replace(/<(script|style|head).*?<\/\1>/gs, '')
    .replace(/<[^>]+>/g, '\n')
    .replaceAll('\u00a0', ' ')
const page = async (path: string, headers = {}) =>
  (await app.request(`https://pamba.test${path}`, { headers })).text()
const readEmail = async (kind: string) => {
  const [order] = await ctx.db.select().from(orders).where(eq(orders.number, number))
  const emails = await ctx.db.select().from(outbox)
  return emails.find((email) => email.kind === kind && email.subjectId === order?.id)?.text ?? ''
}
const office = await createOfficeClient(officeContext())

const readersByPlace: Record<OrderFieldPlace, () => Promise<string[]>> = {
  orderPage: async () => [visibleText(await page(`/order/${number}`, owner.cookie))],
  orderLink: async () => {
    const key = await createOrderKey(number, ctx)
    return [
      visibleText(await page(`/order/${number}?key=${key}`)),
      await readText(await app.request(`https://pamba.test/order/${number}/receipt?key=${key}`)),
    ]
  },
  shopperEmail: async () => [await readEmail('order-confirmation')],
  shopEmail: async () => [await readEmail('order-notice')],
  office: async () => [(await office.get(`/orders/${number}`)).text],
  packingSlip: async () => [visibleText((await office.get(`/packing-slips?orders=${number}`)).text)],
  dataExport: async () => [await page('/api/account/data', owner.bearer)],
}

it.each(Object.keys(readersByPlace) as OrderFieldPlace[])(
  '%s shows exactly the order fields that the table lists for it',
  async (place) => {
    for (const text of await readersByPlace[place]())
      for (const field of ORDER_FIELDS)
        expect(text.includes(billing[field]), `${field} in ${place}`).toBe(
          getOrderFieldDefinition(field).shownIn.includes(place),
        )
  },
)
