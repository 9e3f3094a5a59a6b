import { eq } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { users } from '#server/platform/db/schema.ts'
import { testContext } from './context.ts'
import { createCountingDatabase } from './database.ts'
import { get, postJson } from './posting.ts'

let count = 0
export function newUserDetails() {
  count += 1
  return { name: 'Amina Wanjiru', email: `amina${count}@shopper.test`, password: 'kikoi-6' }
}

export type SignedIn = { token: string; user: { name: string; email: string } }

export const register = (body: unknown, ctx: ServiceContext = testContext()) =>
  postJson(ctx, '/api/auth/register', body)
export const logIn = (body: unknown, ctx: ServiceContext = testContext()) =>
  postJson(ctx, '/api/auth/login', body)
export const logOut = (headers: Record<string, string>, ctx: ServiceContext = testContext()) =>
  postJson(ctx, '/api/auth/logout', {}, headers)
export const getSession = (headers: Record<string, string>, ctx: ServiceContext = testContext()) =>
  get(ctx, '/api/auth/session', headers)

export const selectUser = (email: string) =>
  testContext().db.select().from(users).where(eq(users.email, email)).get()

export function createCountingContext() {
  const { db, count } = createCountingDatabase()
  const counts = Object.assign(count, { hashes: 0 })
  const { deriveKey } = testContext()
  const ctx = testContext({
    db,
    deriveKey(...input) {
      counts.hashes += 1
      return deriveKey(...input)
    },
  })
  return { ctx, counts }
}
