import { eq } from 'drizzle-orm'
import type { ServiceContext } from '#server/context.ts'
import { contactMessages, outbox } from '#server/platform/db/schema.ts'
import { testContext } from './context.ts'
import { postJson } from './posting.ts'

let count = 0
export function newMessage() {
  count += 1
  return {
    name: 'Wanjiru',
    email: `wanjiru${count}@example.com`,
    message: 'Do you sew kanga dresses for twins?',
  }
}

export function postMessage(
  body: unknown,
  ctx: ServiceContext = testContext(),
  headers: Record<string, string> = {},
) {
  return postJson(ctx, '/api/contact', body, headers)
}

export const selectMessages = (email: string) =>
  testContext().db.select().from(contactMessages).where(eq(contactMessages.email, email))
export const selectOperatorEmails = (email: string) =>
  testContext().db.select().from(outbox).where(eq(outbox.replyTo, email))

export async function withFailingOutbox<Result>(
  email: string,
  action: () => Result | Promise<Result>,
): Promise<Result> {
  const { $client } = testContext().db
  await $client.exec(
    `CREATE TRIGGER no_mail BEFORE INSERT ON outbox WHEN NEW.reply_to = '${email}' BEGIN SELECT RAISE(ABORT, 'the outbox is full'); END`,
  )
  try {
    return await action()
  } finally {
    await $client.exec('DROP TRIGGER no_mail')
  }
}
