import { asc, desc } from 'drizzle-orm'
import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm } from '#office/platform/form.ts'
import { officePage } from '#office/platform/layout.tsx'
import { promotions } from '#server/platform/db/schema.ts'
import {
  createPromotion,
  endPromotion,
  type PromotionRow,
  promotionState,
  takesOff,
} from '#server/promotions/promotions.ts'
import { kshToCents } from '#shared/checkout/pricing.ts'
import { errors } from '#shared/errors.ts'
import { formatMoney } from '#shared/format.ts'
import { formatDateTime, shopDay } from '#shared/time.ts'

const text = z.string()
const promotionForm = z.object({
  code: text,
  kind: z.enum(['percent', 'fixed']),
  value: text,
  minimum: text,
  from: text,
  until: text,
  uses: text,
})
const endForm = z.object({ code: text })
const MAX_PROMOTIONS = 100

/** `/promotions`: the promo codes with their terms and uses; makes and ends them. */
export function promotionsPage(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: { notice?: string; isError?: boolean } = {}) {
    const rows = await ctx.db
      .select()
      .from(promotions)
      .orderBy(desc(promotions.createdAtMs), asc(promotions.code))
      .limit(MAX_PROMOTIONS)
    return officePage(
      c,
      {
        title: 'Promotions',
        section: 'more',
        ...notice,
        children: <Promotions rows={rows} nowMs={ctx.clock()} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/promotions', (c) => {
      const { made, ended } = c.req.query()
      if (made) return show(c, { notice: `${made.slice(0, 40)} created.` })
      return show(c, ended ? { notice: `${ended.slice(0, 40)} has ended.` } : {})
    })
    .post('/promotions', async (c) => {
      const form = await readForm(c, promotionForm)
      if (form instanceof Response) return form
      const { kind } = form
      const from = form.from ? shopDay(form.from, ctx.clock()) : undefined
      const until = form.until ? shopDay(form.until, ctx.clock()) : undefined
      if ((form.from && !from) || (form.until && !until))
        return show(c, { notice: 'Please enter a date.', isError: true })
      const value = amount(form.value)
      const promotion = {
        code: form.code.trim().toUpperCase(),
        kind,
        value: kind === 'percent' ? value : kshToCents(value),
        minimumSubtotalCents: form.minimum ? kshToCents(amount(form.minimum)) : 0,
        startsAtMs: from?.startMs ?? null,
        endsAtMs: until?.endMs ?? null,
        maxUses: form.uses ? amount(form.uses) : null,
      }
      const made = await createPromotion({ promotion, actor: c.var.identity.email }, ctx)
      if (!made.ok) return show(c, { notice: sentence(made.error), isError: true })
      return c.redirect(`/promotions?made=${encodeURIComponent(made.data.code)}`, 303)
    })
    .post('/promotions/end', async (c) => {
      const form = await readForm(c, endForm)
      if (form instanceof Response) return form
      const code = form.code.trim().toUpperCase()
      const ended = await endPromotion({ code, actor: c.var.identity.email }, ctx)
      if (!ended.ok) return show(c, { notice: sentence(ended.error), isError: true })
      return c.redirect(`/promotions?ended=${encodeURIComponent(code)}`, 303)
    })
}

/** A whole number or an amount as it was typed; NaN, which no rule takes, for anything else. */
function amount(typed: string): number {
  return /^\d{1,7}(\.\d{1,2})?$/.test(typed.trim()) ? Number(typed) : Number.NaN
}

function sentence(error: { code: keyof typeof errors; message?: string; fieldErrors?: object }): string {
  return Object.values(error.fieldErrors ?? {}).join(' ') || (error.message ?? errors[error.code].message)
}

function Promotions({ rows, nowMs }: { rows: readonly PromotionRow[]; nowMs: number }) {
  return (
    <>
      <h1>Promotions</h1>
      {rows.length === 0 ? <p className="empty">Nothing here yet.</p> : null}
      <ul className="rows">
        {rows.map((row) => {
          const state = promotionState(row, nowMs)
          const { code, uses, maxUses, minimumSubtotalCents, startsAtMs, endsAtMs } = row
          return (
            <li className="row" key={code}>
              <div>
                <strong>{code}</strong> takes {takesOff(row)}
                {minimumSubtotalCents > 0 ? ` from ${formatMoney(minimumSubtotalCents)} on` : ''}
                <span className="mark">{state}</span>
                <span className="note">
                  Used {uses}
                  {maxUses === null ? '' : ` of ${maxUses}`}{' '}
                  {uses === 1 && maxUses === null ? 'time' : 'times'}
                  {startsAtMs ? `, from ${formatDateTime(startsAtMs)}` : ''}
                  {endsAtMs ? `, until ${formatDateTime(endsAtMs)}` : ''}
                </span>
              </div>
              {state === 'ended' ? null : (
                <form method="post" action="/promotions/end">
                  <input type="hidden" name="code" value={code} />
                  <button className="button button--quiet" type="submit">
                    End <span className="visually-hidden">{code}</span>
                  </button>
                </form>
              )}
            </li>
          )
        })}
      </ul>
      <section className="panel">
        <h2>New promo code</h2>
        <form className="filters" method="post" action="/promotions">
          <Field label="Code" name="code" isWide required maxLength={40} autoCapitalize="characters" />
          <div className="field">
            <label htmlFor="kind">Discount</label>
            <select id="kind" name="kind">
              <option value="percent">percent</option>
              <option value="fixed">KSH</option>
            </select>
          </div>
          <Field label="Amount" name="value" required inputMode="decimal" />
          <Field label="Minimum subtotal (KSH)" name="minimum" inputMode="decimal" />
          <Field label="Limit of uses" name="uses" inputMode="numeric" />
          <Field label="From" name="from" type="date" />
          <Field label="Last day" name="until" type="date" />
          <button className="button" type="submit">
            Create code
          </button>
        </form>
      </section>
    </>
  )
}

type FieldProps = { label: string; name: string; isWide?: boolean } & React.ComponentProps<'input'>

function Field({ label, name, isWide = false, ...input }: FieldProps) {
  return (
    <div className={isWide ? 'field field--wide' : 'field'}>
      <label htmlFor={name}>{label}</label>
      <input id={name} name={name} autoComplete="off" {...input} />
    </div>
  )
}
