import { and, asc, eq, ne, or } from 'drizzle-orm'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { users } from '#server/platform/db/schema.ts'
import { toEmailIdentity } from '#shared/accounts/auth-forms.ts'
import { DELETED_USER_ID } from './personal-data.ts'

const byExistingAccount = ne(users.id, DELETED_USER_ID)

export function listAccounts({ db }: OwnerContext) {
  return db
    .select({ id: users.id, email: users.email, createdAtMs: users.createdAtMs })
    .from(users)
    .where(byExistingAccount)
    .orderBy(asc(users.createdAtMs))
}

export function findAccount(idOrEmail: string, { db }: OwnerContext) {
  const byIdOrEmail = or(eq(users.id, idOrEmail), eq(users.email, toEmailIdentity(idOrEmail)))
  return db.select({ id: users.id }).from(users).where(and(byIdOrEmail, byExistingAccount)).get()
}
