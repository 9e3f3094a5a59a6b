import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { Day, formatDay } from '#office/platform/date-time.tsx'
import { formTextSchema, readForm } from '#office/platform/form.ts'
import { Confirmation, renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { formatServiceError } from '#server/platform/result.ts'
import { listPromotions, readPromotion } from '#server/promotions/list-promotions.ts'
import {
  createPromotion,
  endPromotion,
  formatDiscount,
  getPromotionState,
  type PromotionRow,
} from '#server/promotions/promotions.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { parseShopDay } from '#shared/time.ts'

const promotionFormSchema = z.object({
  code: formTextSchema,
  kind: z.enum(['percent', 'fixed']),
  value: formTextSchema,
  minimum: formTextSchema,
  from: formTextSchema,
  until: formTextSchema,
  uses: formTextSchema,
  once: formTextSchema,
})
type EnteredPromotion = z.infer<typeof promotionFormSchema>
const endFormSchema = z.object({ code: formTextSchema })

/** A mistyped amount can make items free. */
function describeFreeItems({ kind, value, minimumSubtotalCents }: PromotionRow): string {
  return kind === 'fixed' && value >= minimumSubtotalCents
    ? ` With it, items up to ${formatMoney(value)} cost nothing. To prevent that, end the code and create one with a minimum subtotal.`
    : ''
}

export function promotionRoutes(ctx: OfficeContext) {
  async function show(
    c: Context<OfficeEnv>,
    notice: { notice?: string; isError?: boolean } = {},
    entered: Partial<EnteredPromotion> = {},
  ) {
    const rows = await listPromotions(c.var.ownerContext())
    return renderOfficePage(
      c,
      {
        title: 'Promo codes',
        section: 'more',
        ...notice,
        children: <PromotionList rows={rows} entered={entered} nowMs={ctx.clock()} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  async function describeCreatedPromotion(code: string): Promise<string> {
    const row = await readPromotion(code, ctx)
    const nowMs = ctx.clock()
    const startsAtMs = row && getPromotionState(row, nowMs) === 'scheduled' ? row.startsAtMs : null
    const start = startsAtMs === null ? '' : ` Customers can use it from ${formatDay(startsAtMs, nowMs)}.`
    return `Promo code ${code} created.${start}${row ? describeFreeItems(row) : ''}`
  }

  return new Hono<OfficeEnv>()
    .get('/promotions', async (c) => {
      const { made, ended } = c.req.query()
      if (made) return show(c, { notice: await describeCreatedPromotion(made.slice(0, 40)) })
      return show(c, ended ? { notice: `Promo code ${ended.slice(0, 40)} has ended.` } : {})
    })
    .post('/promotions', async (c) => {
      const form = await readForm(c, promotionFormSchema)
      if (form instanceof Response) return form
      const { kind } = form
      const from = form.from ? parseShopDay(form.from, ctx.clock()) : undefined
      const until = form.until ? parseShopDay(form.until, ctx.clock()) : undefined
      if ((form.from && !from) || (form.until && !until))
        return show(
          c,
          { notice: `${from || !form.from ? 'Last day' : 'First day'} must be a valid date.`, isError: true },
          form,
        )
      const value = parseDecimal(form.value)
      const promotion = {
        code: form.code.trim().toUpperCase(),
        kind,
        value: kind === 'percent' ? value : kshToCents(value),
        minimumSubtotalCents: form.minimum ? kshToCents(parseDecimal(form.minimum)) : 0,
        startsAtMs: from?.startMs ?? null,
        endsAtMs: until?.endMs ?? null,
        maxUses: form.uses ? parseDecimal(form.uses) : null,
        oncePerAccount: form.once !== '',
      }
      const created = await createPromotion({ promotion, actor: c.var.identity }, ctx)
      if (!created.ok) return show(c, { notice: formatServiceError(created.error), isError: true }, form)
      return c.redirect(`/promotions?made=${encodeURIComponent(created.data.code)}`, 303)
    })
    .get('/promotions/end', async (c) => {
      const code = (c.req.query('code') ?? '').trim().toUpperCase()
      const row = await readPromotion(code, c.var.ownerContext())
      if (!row) return renderErrorPage(c, 404, 'We can’t find this promo code.')
      if (getPromotionState(row, ctx.clock()) === 'ended')
        return renderErrorPage(c, 404, `Promo code ${row.code} has already ended.`)
      return renderOfficePage(c, {
        title: `End ${row.code}`,
        section: 'more',
        children: (
          <Confirmation
            heading={`End promo code ${row.code}?`}
            sentence={`Customers will no longer get ${formatDiscount(row)} off with it. This can’t be undone.`}
            action="/promotions/end"
            fields={{ code: row.code }}
            button="End code"
            back="/promotions"
          />
        ),
      })
    })
    .post('/promotions/end', async (c) => {
      const form = await readForm(c, endFormSchema)
      if (form instanceof Response) return form
      const code = form.code.trim().toUpperCase()
      const ended = await endPromotion({ code, actor: c.var.identity }, ctx)
      if (!ended.ok) return show(c, { notice: formatServiceError(ended.error), isError: true })
      return c.redirect(`/promotions?ended=${encodeURIComponent(code)}`, 303)
    })
}

function parseDecimal(text: string): number {
  return /^\d{1,7}(\.\d{1,2})?$/.test(text.trim()) ? Number(text) : Number.NaN
}

const STATE_LABELS: Record<ReturnType<typeof getPromotionState>, string> = {
  scheduled: 'Scheduled',
  active: 'Active',
  ended: 'Ended',
  'limit reached': 'Limit reached',
}

type PromotionListProps = {
  rows: readonly PromotionRow[]
  entered: Partial<EnteredPromotion>
  nowMs: number
}

function PromotionList({ rows, entered, nowMs }: PromotionListProps) {
  return (
    <>
      <h1>Promo codes</h1>
      {rows.length === 0 ? <p className="empty">No promo codes yet. Create one below.</p> : null}
      <ul className="rows">
        {rows.map((row) => {
          const state = getPromotionState(row, nowMs)
          const { code, minimumSubtotalCents, startsAtMs, endsAtMs } = row
          return (
            <li className="row" key={code}>
              <div>
                <span>
                  <strong>{code}</strong> {formatDiscount(row)} off
                  {minimumSubtotalCents > 0
                    ? ` a subtotal of ${formatMoney(minimumSubtotalCents)} or more`
                    : ''}
                </span>
                <span className="mark">{STATE_LABELS[state]}</span>
                <span className="note">
                  {describeUses(row)}
                  {row.oncePerAccount ? ', once per account' : ''}
                  {startsAtMs !== null && startsAtMs > nowMs ? (
                    <>
                      , starts <Day atMs={startsAtMs} />
                    </>
                  ) : null}
                  {endsAtMs === null ? null : (
                    <>
                      , {state === 'ended' ? 'ended' : 'last day'} <Day atMs={endsAtMs - 1} />
                    </>
                  )}
                </span>
              </div>
              {state === 'ended' ? null : (
                <a className="button button--quiet" href={`/promotions/end?code=${encodeURIComponent(code)}`}>
                  End code <span className="visually-hidden">{code}</span>
                </a>
              )}
            </li>
          )
        })}
      </ul>
      <section className="panel">
        <h2>New promo code</h2>
        <form className="filters" method="post" action="/promotions">
          <Field
            label="Code"
            name="code"
            defaultValue={entered.code}
            isWide
            required
            maxLength={40}
            autoCapitalize="characters"
          />
          <Field label="Discount" name="value" defaultValue={entered.value} required inputMode="decimal" />
          <div className="field">
            <label htmlFor="kind">Discount in</label>
            <select id="kind" name="kind" defaultValue={entered.kind}>
              <option value="percent">Percent</option>
              <option value="fixed">{shop.currency}</option>
            </select>
          </div>
          <Field
            label={`Minimum subtotal (${shop.currency})`}
            name="minimum"
            defaultValue={entered.minimum}
            inputMode="decimal"
          />
          <Field label="Maximum uses" name="uses" defaultValue={entered.uses} inputMode="numeric" />
          <Field label="First day" name="from" defaultValue={entered.from} type="date" />
          <Field label="Last day" name="until" defaultValue={entered.until} type="date" />
          <label className="choice field--wide">
            <input type="checkbox" name="once" value="yes" defaultChecked={entered.once === 'yes'} />
            Once per account
          </label>
          <button className="button" type="submit">
            Create code
          </button>
        </form>
      </section>
    </>
  )
}

function describeUses({ uses, maxUses }: PromotionRow): string {
  if (maxUses !== null) return `${uses} of ${maxUses} ${maxUses === 1 ? 'use' : 'uses'}`
  if (uses === 0) return 'Not used yet'
  return `Used ${uses} ${uses === 1 ? 'time' : 'times'}`
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
