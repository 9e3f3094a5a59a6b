import type { DataContext } from '#server/context.ts'
import { NotPermittedError } from '#server/platform/db/audit.ts'
import type { Actor } from '#shared/team/roles.ts'

declare const ownerBrand: unique symbol

/** Only {@link requireOwner} creates one. */
export type OwnerContext<Context extends DataContext = DataContext> = Context & {
  readonly [ownerBrand]: true
}

export function requireOwner<Context extends DataContext>(
  { role }: Actor,
  ctx: Context,
): OwnerContext<Context> {
  if (role !== 'owner') throw new NotPermittedError('owner only')
  return ctx as OwnerContext<Context>
}
