import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { findSuccessMessage, readForm } from '#office/platform/form.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { listMembers, type Member, removeMember, setMember } from '#server/team/members.ts'
import { ROLE_LABELS, ROLES, type Role } from '#shared/team/roles.ts'

const addFormSchema = z.object({ email: z.string(), role: z.enum(ROLES) })
const removeFormSchema = z.object({ email: z.string() })

const ROLE_DESCRIPTIONS: Record<Role, string> = {
  owner: 'Can do everything.',
  packer: 'Can pack and send orders and count stock. Can’t see prices or the customer list.',
}

const SUCCESS_MESSAGES: Record<string, string> = {
  added: 'Team member saved.',
  changed: 'Role changed.',
  removed: 'Team member removed.',
}

type Notice = { notice?: string | undefined; isError?: boolean }

export function teamRoutes(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: Notice = {}, entered = '') {
    const members = await listMembers(c.var.ownerContext())
    return renderOfficePage(
      c,
      {
        title: 'Team',
        section: 'more',
        ...notice,
        children: <TeamView members={members} owner={ctx.config.OWNER_EMAIL} entered={entered} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/team', (c) => {
      const notice = findSuccessMessage(SUCCESS_MESSAGES, c.req.query('done'))
      return show(c, notice ? { notice } : {})
    })
    .post('/team', async (c) => {
      const form = await readForm(c, addFormSchema)
      if (form instanceof Response) return form
      const added = await setMember({ ...form, actor: c.var.identity }, ctx)
      return added.ok
        ? c.redirect(`/team?done=${added.data.previousRole ? 'changed' : 'added'}`, 303)
        : show(c, { notice: added.error.message, isError: true }, form.email)
    })
    .post('/team/remove', async (c) => {
      const form = await readForm(c, removeFormSchema)
      if (form instanceof Response) return form
      const removed = await removeMember({ ...form, actor: c.var.identity }, ctx)
      return removed.ok
        ? c.redirect('/team?done=removed', 303)
        : show(c, { notice: removed.error.message, isError: true })
    })
}

type TeamViewProps = { members: readonly Member[]; owner: string | undefined; entered: string }

function TeamView({ members, owner, entered }: TeamViewProps) {
  return (
    <>
      <h1>Team</h1>
      <ul className="rows">
        {owner ? (
          <li>
            <strong>{owner}</strong>
            <span className="note">Owner, set up by your developer</span>
          </li>
        ) : null}
        {members.map(({ email, role }) => (
          <li className="row row--count" key={email}>
            <div>
              <strong>{email}</strong>
              <span className="note">{ROLE_LABELS[role]}</span>
            </div>
            <form method="post" action="/team/remove">
              <input type="hidden" name="email" value={email} />
              <button className="button button--quiet" type="submit">
                Remove <span className="visually-hidden">{email}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
      <form className="panel" method="post" action="/team">
        <h2>Add a team member</h2>
        <div className="field">
          <label htmlFor="email">Email address</label>
          <input
            id="email"
            name="email"
            type="email"
            defaultValue={entered}
            autoComplete="off"
            maxLength={254}
            required
          />
          <p className="note">To let them log in, also add the address to the Cloudflare Access policy.</p>
        </div>
        <fieldset className="field roles">
          <legend>Role</legend>
          {ROLES.toReversed().map((role) => (
            <label className="choice" key={role}>
              <input type="radio" name="role" value={role} defaultChecked={role === 'packer'} />
              <span>
                {ROLE_LABELS[role]} <span className="note">{ROLE_DESCRIPTIONS[role]}</span>
              </span>
            </label>
          ))}
        </fieldset>
        <button className="button" type="submit">
          Add team member
        </button>
      </form>
    </>
  )
}
