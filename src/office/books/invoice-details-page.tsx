import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { formTextSchema, readForm } from '#office/platform/form.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { readSeller, type SellerDetails, saveSeller } from '#server/invoices/seller.ts'
import { errorDefinitions } from '#shared/errors.ts'
import { shop } from '#shared/shop.ts'

const sellerFormSchema = z.object({ name: formTextSchema, pin: formTextSchema, address: formTextSchema })

export function invoiceDetailsRoutes(ctx: OfficeContext) {
  function show(
    c: Context<OfficeEnv>,
    details: SellerDetails,
    notice: { notice?: string; isError?: boolean } = {},
  ) {
    return renderOfficePage(
      c,
      {
        title: 'Invoice details',
        section: 'more',
        ...notice,
        children: (
          <>
            <h1>Invoice details</h1>
            <p>These details appear on new invoices and credit notes. Earlier ones don’t change.</p>
            <form className="panel" method="post" action="/invoice-details">
              <div className="field">
                <label htmlFor="name">Business name</label>
                <input
                  id="name"
                  name="name"
                  defaultValue={details.name}
                  autoComplete="organization"
                  required
                />
              </div>
              <div className="field">
                <label htmlFor="pin">KRA PIN</label>
                <input
                  id="pin"
                  name="pin"
                  defaultValue={details.pin}
                  autoCapitalize="characters"
                  autoComplete="off"
                  maxLength={11}
                />
              </div>
              <div className="field">
                <label htmlFor="address">Address</label>
                <textarea id="address" name="address" defaultValue={details.address} rows={3} />
              </div>
              <button className="button" type="submit">
                Save invoice details
              </button>
            </form>
          </>
        ),
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/invoice-details', async (c) => {
      const details = (await readSeller(c.var.ownerContext())) ?? {
        name: shop.name,
        pin: '',
        address: shop.city,
      }
      return show(c, details, c.req.query('done') === undefined ? {} : { notice: 'Invoice details saved.' })
    })
    .post('/invoice-details', async (c) => {
      const form = await readForm(c, sellerFormSchema)
      if (form instanceof Response) return form
      const saved = await saveSeller({ ...form, actor: c.var.identity }, ctx)
      const { message } = saved.ok
        ? errorDefinitions.invalid_fields
        : { ...errorDefinitions.invalid_fields, ...saved.error }
      if (!saved.ok) return show(c, form, { notice: message, isError: true })
      return c.redirect('/invoice-details?done=', 303)
    })
}
