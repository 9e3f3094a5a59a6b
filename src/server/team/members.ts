import { asc, eq } from 'drizzle-orm'
import * as z from 'zod/mini'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { teamMembers } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { type Actor, normaliseMemberEmail, ROLE_LABELS, type Role } from '#shared/team/roles.ts'
import { deleteAlertSettingsStatements } from './alert-settings.ts'

export type Member = typeof teamMembers.$inferSelect

const emailSchema = z.email()
const OWN_ROLE_ERROR = {
  ok: false,
  error: { code: 'invalid_fields', message: 'You can’t change your own role. Ask another owner to do it.' },
} as const

export async function readRole(email: string, { db }: DataContext): Promise<Role | undefined> {
  const byEmail = eq(teamMembers.email, normaliseMemberEmail(email))
  return (await db.select({ role: teamMembers.role }).from(teamMembers).where(byEmail).get())?.role
}

export function listMembers({ db }: OwnerContext): Promise<Member[]> {
  return db.select().from(teamMembers).orderBy(asc(teamMembers.email))
}

export async function setMember(
  { email, role, actor }: { email: string; role: Role; actor: Actor },
  ctx: DataContext,
): Promise<Result<Member & { previousRole: Role | undefined }, ServiceError<'invalid_fields'>>> {
  const normalised = normaliseMemberEmail(email)
  if (normalised === normaliseMemberEmail(actor.email)) return OWN_ROLE_ERROR
  if (!emailSchema.safeParse(normalised).success)
    return {
      ok: false,
      error: { code: 'invalid_fields', message: 'Please enter an email address, like amina@example.com.' },
    }
  const previousRole = await readRole(normalised, ctx)
  const row = { email: normalised, role, addedAtMs: ctx.clock() }
  const upsert = ctx.db
    .insert(teamMembers)
    .values(row)
    .onConflictDoUpdate({ target: teamMembers.email, set: { role } })
  if (previousRole === role)
    return {
      ok: false,
      error: {
        code: 'invalid_fields',
        message: `${normalised} is already on the team as “${ROLE_LABELS[role]}”. To change their role, choose another one.`,
      },
    }
  const from = previousRole && { from: previousRole }
  const audit = { actor, action: 'team.add', subject: normalised, ...from, to: role } as const
  const statements = [upsert, ...deleteAlertSettingsStatements(normalised, role, ctx)] as const
  await commitAudited({ statements, audit }, ctx)
  return { ok: true, data: { ...row, previousRole } }
}

export async function removeMember(
  { email, actor }: { email: string; actor: Actor },
  ctx: DataContext,
): Promise<Result<{ email: string }, ServiceError<'invalid_fields'>>> {
  const normalised = normaliseMemberEmail(email)
  if (normalised === normaliseMemberEmail(actor.email)) return OWN_ROLE_ERROR
  const remove = ctx.db.delete(teamMembers).where(eq(teamMembers.email, normalised))
  const audit = { actor, action: 'team.remove', subject: normalised } as const
  const statements = [remove, ...deleteAlertSettingsStatements(normalised, undefined, ctx)] as const
  await commitAudited({ statements, audit }, ctx)
  return { ok: true, data: { email: normalised } }
}
