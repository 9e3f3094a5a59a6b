import { Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { readForm, startHousekeeping } from '#office/platform/form.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { listStuckEmails, resendEmail, type StuckEmail } from '#server/platform/email/stuck-emails.ts'
import { errorDefinitions } from '#shared/errors.ts'

const resendFormSchema = z.object({ id: z.string() })

export function emailRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>()
    .get('/emails', async (c) => {
      const stuckEmails = await listStuckEmails(c.var.ownerContext())
      return renderOfficePage(c, {
        title: 'Stuck emails',
        section: 'more',
        ...(c.req.query('done') ? { notice: 'We tried again. Emails still listed here weren’t sent.' } : {}),
        children: (
          <>
            <h1>Stuck emails</h1>
            {stuckEmails.length === 0 ? (
              <p className="empty">No stuck emails. Any that fail will appear here.</p>
            ) : null}
            <ul className="rows">
              {stuckEmails.map((email) => (
                <EmailRow key={email.id} email={email} />
              ))}
            </ul>
          </>
        ),
      })
    })
    .post('/emails', async (c) => {
      const form = await readForm(c, resendFormSchema)
      if (form instanceof Response) return form
      const sent = await resendEmail({ id: form.id, actor: c.var.identity }, ctx)
      if (!sent.ok) return renderErrorPage(c, 404, errorDefinitions[sent.error.code].message)
      await startHousekeeping(c, ctx)
      return c.redirect('/emails?done=again', 303)
    })
}

function EmailRow({ email }: { email: StuckEmail }) {
  const { id, subject, recipient, status, attempts, lastError, createdAtMs, nextAttemptAtMs } = email
  return (
    <li className="row">
      <div>
        <strong>{subject}</strong> to {recipient}
        <span className={status === 'failed' ? 'mark mark--due' : 'mark'}>
          {status === 'failed' ? (
            'Not sent'
          ) : (
            <>
              Next attempt <DateTime atMs={nextAttemptAtMs} isInline />
            </>
          )}
        </span>
        <span className="note">
          Created <DateTime atMs={createdAtMs} isInline />, {attempts}{' '}
          {attempts === 1 ? 'attempt' : 'attempts'}. Last error: {lastError ?? 'unknown'}
        </span>
      </div>
      <form method="post" action="/emails">
        <input type="hidden" name="id" value={id} />
        <button aria-label={`Resend email: ${subject}`} className="button button--quiet" type="submit">
          Resend email
        </button>
      </form>
    </li>
  )
}
