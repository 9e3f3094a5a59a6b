import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { formatDay } from '#office/platform/date-time.tsx'
import { findSuccessMessage, formTextSchema, readForm, startHousekeeping } from '#office/platform/form.ts'
import { Confirmation, renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { closeDay } from '#server/books/close-day.ts'
import { dismissWithdrawal, matchWithdrawal } from '#server/books/match-withdrawal.ts'
import { type Reconciliation, reconcileDay } from '#server/books/reconcile.ts'
import { STATEMENT_PROVIDERS, type StatementProvider } from '#server/books/statement.ts'
import { uploadStatement } from '#server/books/upload-statement.ts'
import { formatMoney } from '#shared/format.ts'
import { getProviderDescriptor } from '#shared/payments/providers.ts'
import { parseShopDay, type ShopPeriod } from '#shared/time.ts'
import { canChangeWithdrawal, DayEntries, DaySummary } from './day-entries.tsx'

const PATH = '/reconciliation'
const MAX_FILE_BYTES = 5 * 1024 * 1024

const closeFormSchema = z.object({ provider: z.enum(STATEMENT_PROVIDERS), day: formTextSchema })
const withdrawalFormSchema = z.object({
  ...closeFormSchema.shape,
  receipt: formTextSchema,
  amountCents: z.pipe(formTextSchema.check(z.regex(/^\d{1,12}$/)), z.transform(Number)),
  /** The refund to match the withdrawal to. Empty if the withdrawal isn't a refund. */
  target: formTextSchema,
})

const SUCCESS_MESSAGES: Record<string, string> = {
  closed: 'Day closed.',
  matched: 'Withdrawal matched.',
  dismissed: 'Withdrawal marked as not a refund.',
}

type SelectedDay = { provider: StatementProvider; day: ShopPeriod }

const getReconciliationPath = ({ provider, day }: SelectedDay, done = '') =>
  `${PATH}?${new URLSearchParams({ provider, day: day.name, ...(done && { done }) })}`

export function reconciliationRoutes(ctx: OfficeContext) {
  function parseSelectedDay(
    c: Context<OfficeEnv>,
    fields: { provider?: unknown; day?: unknown },
  ): SelectedDay {
    const provider = STATEMENT_PROVIDERS.find((name) => name === fields.provider) ?? 'mpesa'
    const nowMs = c.var.nowMs
    const day = parseShopDay(String(fields.day ?? ''), nowMs) ?? parseShopDay('today', nowMs)
    if (!day) throw new Error('Today’s date is invalid.')
    return { provider, day }
  }

  async function show(
    c: Context<OfficeEnv>,
    chosen: SelectedDay,
    notice: { notice?: string; isError?: boolean } = {},
  ) {
    const reconciliation = await reconcileDay(chosen, c.var.ownerContext())
    const page = {
      title: 'Reconciliation',
      section: 'more',
      ...notice,
      children: <ReconciledDay {...chosen} reconciliation={reconciliation} nowMs={c.var.nowMs} />,
    } as const
    return renderOfficePage(c, page, notice.isError ? 409 : 200)
  }

  return new Hono<OfficeEnv>()
    .get(PATH, (c) => {
      const { done = '' } = c.req.query()
      const uploaded = /^\d{1,6}$/.test(done)
        ? `Statement uploaded. We read ${formatEntryCount(Number(done))} and added any that were new.`
        : undefined
      const notice = findSuccessMessage(SUCCESS_MESSAGES, done) ?? uploaded
      return show(c, parseSelectedDay(c, c.req.query()), notice ? { notice } : {})
    })
    .get(`${PATH}/dismiss`, async (c) => {
      const { receipt = '', amountCents = '' } = c.req.query()
      const chosen = parseSelectedDay(c, c.req.query())
      const { entries } = await reconcileDay(chosen, c.var.ownerContext())
      const entry = entries.find(
        (entry) =>
          canChangeWithdrawal(entry) &&
          entry.receipt === receipt &&
          String(entry.providerCents) === amountCents,
      )
      if (!entry) return renderErrorPage(c, 404, 'There’s no open withdrawal with this receipt.')
      const retry = entry.number
        ? ` You can then retry the refund for ${entry.number}, which sends the money to the customer.`
        : ''
      return renderOfficePage(c, {
        title: `Withdrawal ${receipt}`,
        section: 'more',
        children: (
          <Confirmation
            heading={`Mark ${formatMoney(Number(amountCents))} as not a refund?`}
            sentence={`Do this only if the withdrawal with receipt ${receipt} isn’t a refund that the shop lists.${retry} This can’t be undone.`}
            action={`${PATH}/withdrawal`}
            fields={{ provider: chosen.provider, day: chosen.day.name, receipt, amountCents, target: '' }}
            button="Mark as not a refund"
            back={getReconciliationPath(chosen)}
          />
        ),
      })
    })
    .post(`${PATH}/close`, async (c) => {
      const form = await readForm(c, closeFormSchema)
      if (form instanceof Response) return form
      const chosen = parseSelectedDay(c, form)
      await closeDay({ ...chosen, actor: c.var.identity }, c.var.ownerContext())
      return c.redirect(getReconciliationPath(chosen, 'closed'), 303)
    })
    .post(`${PATH}/withdrawal`, async (c) => {
      const form = await readForm(c, withdrawalFormSchema)
      if (form instanceof Response) return form
      const { target, day: _, ...withdrawal } = form
      const chosen = parseSelectedDay(c, form)
      const input = { ...withdrawal, actor: c.var.identity }
      const changed =
        target === ''
          ? await dismissWithdrawal(input, ctx)
          : await matchWithdrawal({ ...input, outgoingKey: target }, ctx)
      if (!changed.ok) return show(c, chosen, { notice: changed.error.message, isError: true })
      return c.redirect(getReconciliationPath(chosen, target === '' ? 'dismissed' : 'matched'), 303)
    })
    .post(
      `${PATH}/statement`,
      bodyLimit({
        maxSize: MAX_FILE_BYTES,
        onError: (c) => renderErrorPage(c, 413, 'This file is too large. Please choose one under 5 MB.'),
      }),
      async (c) => {
        const form: Record<string, unknown> = await c.req.parseBody().catch(() => ({}))
        const chosen = parseSelectedDay(c, form)
        const { file } = form
        if (!(file instanceof File) || file.size === 0)
          return show(c, chosen, { notice: 'Please choose a statement, then upload it.', isError: true })
        const { provider } = chosen
        const uploaded = await uploadStatement(
          { provider, bytes: await file.bytes(), actor: c.var.identity },
          ctx,
        )
        if (!uploaded.ok) return show(c, chosen, { notice: uploaded.error.message, isError: true })
        await startHousekeeping(c, ctx)
        const { payments, withdrawals, unreadableRowCount, problems } = uploaded.data
        const entries = payments.length + withdrawals.length
        if (unreadableRowCount === 0) return c.redirect(getReconciliationPath(chosen, String(entries)), 303)
        const lines = unreadableRowCount === 1 ? '1 line' : `${unreadableRowCount} lines`
        const notice = `We read ${formatEntryCount(entries)}, but couldn’t read ${lines}: ${problems.join(' ')}`
        return show(c, chosen, { notice, isError: true })
      },
    )
}

function ReconciledDay({
  provider,
  day,
  reconciliation,
  nowMs,
}: SelectedDay & { reconciliation: Reconciliation; nowMs: number }) {
  const { name } = getProviderDescriptor(provider)
  return (
    <>
      <h1>Reconciliation</h1>
      <form className="filters" action={PATH}>
        <div className="field">
          <label htmlFor="provider">Payment provider</label>
          <select id="provider" name="provider" defaultValue={provider}>
            {STATEMENT_PROVIDERS.map((value) => (
              <option key={value} value={value}>
                {getProviderDescriptor(value).name}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="day">Day</label>
          <input id="day" name="day" type="date" defaultValue={day.name} />
        </div>
        <button className="button" type="submit">
          Show day
        </button>
      </form>
      <h2>
        {name}, {formatDay(day.startMs, nowMs)}
      </h2>
      <DaySummary reconciliation={reconciliation} provider={name} />
      <DayEntries reconciliation={reconciliation} provider={provider} day={day.name} />
      <form className="actions" method="post" action={`${PATH}/close`}>
        <input type="hidden" name="provider" value={provider} />
        <input type="hidden" name="day" value={day.name} />
        <button className="button" type="submit">
          {reconciliation.closed ? 'Close day again' : 'Close day'}
        </button>
      </form>
      <StatementForm provider={provider} day={day} />
    </>
  )
}

function StatementForm({ provider, day }: SelectedDay) {
  const { name } = getProviderDescriptor(provider)
  return (
    <form className="panel" method="post" action={`${PATH}/statement`} encType="multipart/form-data">
      <h2>Upload a statement</h2>
      <p className="note">
        Download {name}’s statement as CSV and upload it unchanged. It can cover any period. It’s safe to
        upload it twice.{provider === 'paystack' ? ' Upload the list of refunds too.' : ''}
      </p>
      <input type="hidden" name="provider" value={provider} />
      <input type="hidden" name="day" value={day.name} />
      <div className="field">
        <label htmlFor="file">Statement (CSV, up to 5 MB)</label>
        <input id="file" name="file" type="file" accept=".csv,text/csv" required />
      </div>
      <button className="button" type="submit">
        Upload statement
      </button>
    </form>
  )
}

function formatEntryCount(count: number): string {
  return count === 1 ? '1 entry' : `${count} entries`
}
