import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm } from '#office/platform/form.ts'
import { Confirmation, renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { CUSTOMERS_PATH, getCustomerPath } from '#office/platform/sections.ts'
import { eraseAccount } from '#server/accounts/delete-account.ts'
import { addCustomerNote, blockCustomer, unblockCustomer } from '#server/customers/block-customer.ts'
import { readCustomer } from '#server/customers/read-customer.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { type EnteredCustomerFields, renderCustomerPage } from './customer-page.tsx'

const noteFormSchema = z.object({ note: z.string() })
const blockFormSchema = z.object({ reason: z.string() })
const emptyFormSchema = z.object({})

type Failure = { code: keyof typeof errorDefinitions; message?: string }

export function customerActionRoutes(ctx: OfficeContext) {
  async function respond(
    c: Context<OfficeEnv>,
    result: { ok: true } | { ok: false; error: Failure },
    done: string,
    entered?: EnteredCustomerFields,
  ) {
    const id = c.req.param('id') ?? ''
    if (result.ok) return c.redirect(`${getCustomerPath(id)}?done=${done}`, 303)
    const { code, message = errorDefinitions[code].message } = result.error
    const customer = await readCustomer(id, c.var.ownerContext())
    if (!customer) return renderErrorPage(c, 404, 'We can’t find this customer.')
    return renderCustomerPage(c, customer, { notice: message, isError: true }, entered)
  }

  return new Hono<OfficeEnv>()
    .post(`${CUSTOMERS_PATH}/:id/notes`, async (c) => {
      const form = await readForm(c, noteFormSchema)
      if (form instanceof Response) return form
      const actor = c.var.identity
      const added = await addCustomerNote({ id: c.req.param('id'), text: form.note, actor }, ctx)
      return respond(c, added, 'noted', form)
    })
    .post(`${CUSTOMERS_PATH}/:id/block`, async (c) => {
      const form = await readForm(c, blockFormSchema)
      if (form instanceof Response) return form
      const actor = c.var.identity
      const blocked = await blockCustomer({ id: c.req.param('id'), reason: form.reason, actor }, ctx)
      return respond(c, blocked, 'blocked', form)
    })
    .post(`${CUSTOMERS_PATH}/:id/unblock`, async (c) => {
      const form = await readForm(c, emptyFormSchema)
      if (form instanceof Response) return form
      const actor = c.var.identity
      return respond(c, await unblockCustomer({ id: c.req.param('id'), actor }, ctx), 'unblocked')
    })
    .get(`${CUSTOMERS_PATH}/:id/erase`, async (c) => {
      const customer = await readCustomer(c.req.param('id'), c.var.ownerContext())
      if (!customer) return renderErrorPage(c, 404, 'We can’t find this customer.')
      const { id, name, email } = customer.user
      const blockSentence = customer.block ? ' Their email address and phone number stay blocked.' : ''
      return renderOfficePage(c, {
        title: 'Delete customer',
        section: 'more',
        children: (
          <Confirmation
            heading={`Delete ${name || email}?`}
            sentence={`We’ll delete the account, addresses, messages and notes, and cancel unpaid orders. We’ll keep paid orders in your books, without personal data.${blockSentence} This can’t be undone.`}
            action={`${getCustomerPath(id)}/erase`}
            fields={{}}
            button="Delete customer"
            back={getCustomerPath(id)}
          />
        ),
      })
    })
    .post(`${CUSTOMERS_PATH}/:id/erase`, async (c) => {
      const form = await readForm(c, emptyFormSchema)
      if (form instanceof Response) return form
      const id = c.req.param('id')
      const customer = await readCustomer(id, c.var.ownerContext())
      if (!customer) return renderErrorPage(c, 404, 'We can’t find this customer.')
      const erased = await eraseAccount({ id, actor: c.var.identity }, ctx)
      if (erased.ok) return c.redirect(`${CUSTOMERS_PATH}?done=erased`, 303)
      const { number, isUndelivered } = erased.error.details ?? {}
      const reason = isUndelivered
        ? 'hasn’t been delivered or picked up yet'
        : 'has a refund or return that isn’t complete yet'
      const notice = number
        ? `Nothing was deleted: order ${number} ${reason}. Please try again once that’s done.`
        : 'Nothing was deleted. Please try again.'
      return renderCustomerPage(c, customer, { notice, isError: true })
    })
}
