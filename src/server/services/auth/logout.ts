import type { SQL } from 'drizzle-orm'
import { sessions } from '../../db/schema.ts'
import type { Deps } from '../../deps.ts'

/** Ends a session: its cookie and its token stop working at once. One that has ended already is no failure. */
export async function logOut(row: SQL, { db }: Pick<Deps, 'db'>): Promise<void> {
  await db.delete(sessions).where(row)
}
