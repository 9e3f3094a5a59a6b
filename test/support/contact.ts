import { eq } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { contactMessages, outbox } from '#server/platform/db/schema.ts'
import { testContext } from './context.ts'
import { postJson } from './posting.ts'

let count = 0
/** A message that nobody else in these tests sends. */
export function message() {
  count += 1
  return {
    name: 'Wanjiru',
    email: `wanjiru${count}@example.com`,
    message: 'Do you sew kanga dresses for twins?',
  }
}

/** Posts a body to the contact call. */
export function post(
  body: unknown,
  ctx: ServiceContext = testContext(),
  headers: Record<string, string> = {},
) {
  return postJson(ctx, '/api/contact', body, headers)
}

/** The messages stored from an address. */
export const stored = (email: string) =>
  testContext().db.select().from(contactMessages).where(eq(contactMessages.email, email))
/** The notices about messages from an address. */
export const notices = (email: string) =>
  testContext().db.select().from(outbox).where(eq(outbox.replyTo, email))

/** Does something while the outbox refuses the notice about one sender. */
export async function withoutOutbox<Result>(
  email: string,
  act: () => Result | Promise<Result>,
): Promise<Result> {
  const { $client } = testContext().db
  await $client.exec(
    `CREATE TRIGGER no_mail BEFORE INSERT ON outbox WHEN NEW.reply_to = '${email}' BEGIN SELECT RAISE(ABORT, 'the outbox is full'); END`,
  )
  try {
    return await act()
  } finally {
    await $client.exec('DROP TRIGGER no_mail')
  }
}
