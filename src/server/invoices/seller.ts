import { desc } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { sellers } from '#server/platform/db/schema.ts'
import type { Result, ServiceError } from '#server/platform/result.ts'
import { findKraPinProblem } from '#shared/orders/fields.ts'
import type { Actor } from '#shared/team/roles.ts'

const MAX_FIELD_CHARACTERS = { name: 120, address: 300 }

export type SellerDetails = { name: string; pin: string; address: string }

export function readSeller({ db }: OwnerContext): Promise<SellerDetails | undefined> {
  return db.select().from(sellers).orderBy(desc(sellers.id)).limit(1).get()
}

/** The details apply to future invoices and credit notes. */
export async function saveSeller(
  { name, pin, address, actor }: SellerDetails & { actor: Actor },
  ctx: DataContext,
): Promise<Result<SellerDetails, ServiceError<'invalid_fields'>>> {
  const details = { name: name.trim(), pin: pin.trim().toUpperCase(), address: address.trim() }
  const message = findProblem(details)
  if (message) return { ok: false, error: { code: 'invalid_fields', message } }
  const statements = [ctx.db.insert(sellers).values({ ...details, createdAtMs: ctx.clock() })] as const
  const audit = {
    actor,
    action: 'seller.save',
    subject: 'invoices',
    to: [details.name, details.pin].filter(Boolean).join(', '),
  } as const
  await commitAudited({ statements, audit }, ctx)
  return { ok: true, data: details }
}

function findProblem({ name, pin, address }: SellerDetails): string | undefined {
  if (name === '') return 'Enter the name to print on invoices.'
  if (name.length > MAX_FIELD_CHARACTERS.name)
    return `Name must be at most ${MAX_FIELD_CHARACTERS.name} characters.`
  if (address.length > MAX_FIELD_CHARACTERS.address)
    return `Address must be at most ${MAX_FIELD_CHARACTERS.address} characters.`
  const pinProblem = pin === '' ? undefined : findKraPinProblem(pin)
  return pinProblem && `${pinProblem}.`
}
