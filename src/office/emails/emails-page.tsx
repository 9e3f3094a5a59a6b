import { Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm, startHousekeeping } from '#office/platform/form.ts'
import { errorPage, officePage } from '#office/platform/layout.tsx'
import { listStuckEmails, resendEmail, type StuckEmail } from '#server/platform/email/stuck-emails.ts'
import { errors } from '#shared/errors.ts'
import { formatDateTime } from '#shared/time.ts'

const resendForm = z.object({ id: z.string() })

/** `/mails`: the mails that were not delivered, why, and another attempt. */
export function emailsPage(ctx: OfficeContext) {
  return new Hono<OfficeEnv>()
    .get('/mails', async (c) => {
      const mails = await listStuckEmails(ctx)
      return officePage(c, {
        title: 'Mails',
        section: 'more',
        ...(c.req.query('done') ? { notice: 'We tried again. Emails still listed here weren’t sent.' } : {}),
        children: (
          <>
            <h1>Stuck emails</h1>
            {mails.length === 0 ? (
              <p className="empty">All emails have been sent. Any that fail will appear here.</p>
            ) : null}
            <ul className="rows">
              {mails.map((mail) => (
                <MailRow key={mail.id} mail={mail} />
              ))}
            </ul>
          </>
        ),
      })
    })
    .post('/mails', async (c) => {
      const form = await readForm(c, resendForm)
      if (form instanceof Response) return form
      const sent = await resendEmail({ id: form.id, actor: c.var.identity.email }, ctx)
      if (!sent.ok) return errorPage(c, 404, errors[sent.error.code].message)
      await startHousekeeping(c, ctx)
      return c.redirect('/mails?done=again', 303)
    })
}

function MailRow({ mail }: { mail: StuckEmail }) {
  const { id, subject, recipient, status, attempts, lastError, createdAtMs, nextAttemptAtMs } = mail
  return (
    <li className="row">
      <div>
        <strong>{subject}</strong> to {recipient}
        <span className={status === 'failed' ? 'mark mark--due' : 'mark'}>
          {status === 'failed' ? 'given up' : `next try ${formatDateTime(nextAttemptAtMs)}`}
        </span>
        <span className="note">
          Written {formatDateTime(createdAtMs)}, {attempts} {attempts === 1 ? 'attempt' : 'attempts'}:{' '}
          {lastError ?? 'reason unknown'}
        </span>
      </div>
      <form method="post" action="/mails">
        <input type="hidden" name="id" value={id} />
        <button aria-label={`Resend: ${subject}`} className="button button--quiet" type="submit">
          Resend
        </button>
      </form>
    </li>
  )
}
