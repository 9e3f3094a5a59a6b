import { Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { readForm } from '#office/platform/form.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { listMessages, MESSAGE_PAGE_SIZE, type MessageRow, markMessage } from '#server/contact/messages.ts'
import { formatCursor } from '#server/platform/db/page-cursor.ts'
import { shop } from '#shared/shop.ts'
import { formatDateTime } from '#shared/time.ts'

const markFormSchema = z.object({ id: z.string(), as: z.enum(['read', 'answered']) })
/** Email apps can truncate or reject longer mailto: links. */
const MAX_QUOTE_CHARACTERS = 1200

export function messageRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>()
    .get('/messages', async (c) => {
      const page = { limit: MESSAGE_PAGE_SIZE + 1, before: c.req.query('before') }
      const rows = await listMessages(page, c.var.ownerContext())
      const messages = rows.slice(0, MESSAGE_PAGE_SIZE)
      const last = rows.length > MESSAGE_PAGE_SIZE ? messages.at(-1) : undefined
      return renderOfficePage(c, {
        title: 'Messages',
        section: 'messages',
        children: (
          <>
            <h1>Messages</h1>
            {messages.length === 0 ? (
              <p className="empty">No messages yet. Messages from the contact form will appear here.</p>
            ) : null}
            {messages.map((message) => (
              <MessageItem key={message.id} message={message} />
            ))}
            {last ? (
              <p>
                <a
                  className="button button--quiet"
                  href={`/messages?before=${formatCursor(last.createdAtMs, last.id)}`}
                >
                  Show earlier messages
                </a>
              </p>
            ) : null}
          </>
        ),
      })
    })
    .post('/messages', async (c) => {
      const form = await readForm(c, markFormSchema)
      if (form instanceof Response) return form
      const marked = await markMessage({ ...form, actor: c.var.identity }, ctx)
      return marked.ok ? c.redirect('/messages', 303) : renderErrorPage(c, 404, 'We can’t find this message.')
    })
}

function MessageItem({ message }: { message: MessageRow }) {
  const { id, name, email, message: text, createdAtMs, readAtMs, answeredAtMs, isSuspicious } = message
  return (
    <article className="panel">
      <h2>{name}</h2>
      <p className="note">
        {email}, <DateTime atMs={createdAtMs} isInline />
        {answeredAtMs ? (
          <>
            , answered <DateTime atMs={answeredAtMs} isInline />
          </>
        ) : null}
      </p>
      {readAtMs === null ? <span className="mark mark--status">New</span> : null}
      {isSuspicious ? <span className="mark">Probably spam</span> : null}
      <blockquote>{text}</blockquote>
      <div className="actions actions--small">
        <a className="button button--quiet" href={createReplyLink(message)}>
          Reply by email<span className="visually-hidden"> to {name}</span>
        </a>
        {readAtMs === null ? <MarkForm id={id} as="read" label="Mark as read" name={name} /> : null}
        {answeredAtMs === null ? (
          <MarkForm id={id} as="answered" label="Mark as answered" name={name} />
        ) : null}
      </div>
    </article>
  )
}

type MarkFormProps = { id: string; as: 'read' | 'answered'; label: string; name: string }

function MarkForm({ id, as, label, name }: MarkFormProps) {
  return (
    <form method="post" action="/messages">
      <input type="hidden" name="id" value={id} />
      <button className="button button--quiet" type="submit" name="as" value={as}>
        {label}
        <span className="visually-hidden">: message from {name}</span>
      </button>
    </form>
  )
}

function createReplyLink({ name, email, message, createdAtMs }: MessageRow): string {
  const quoted = message
    .toWellFormed()
    .slice(0, MAX_QUOTE_CHARACTERS)
    .toWellFormed()
    .split(/\r?\n/)
    .map((line) => `> ${line}`)
    .join('\r\n')
  const body = `Hello ${name.toWellFormed()},\r\n\r\n\r\n\r\n${shop.name}, ${shop.city}\r\n\r\nYou wrote on ${formatDateTime(createdAtMs)}:\r\n${quoted}`
  const subject = `Your message to ${shop.name}`
  return `mailto:${encodeURIComponent(email.toWellFormed())}?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`
}
