import { and, eq, isNotNull, lte, or } from 'drizzle-orm'
import type { DataContext, ServiceContext } from '#server/context.ts'
import type { IncomingPaymentSource, PaymentProvider } from '#server/payments/providers/provider.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { commitAudited } from '#server/platform/db/audit.ts'
import { incomingSources, providerTokens } from '#server/platform/db/schema.ts'
import { getPublicOrigin } from '#server/platform/http/request.ts'
import type { Actor } from '#shared/team/roles.ts'
import { HOUR_MS } from '#shared/time.ts'
import { recordIncomingPaymentsStatements } from './incoming-payments.ts'
import { matchIncomingPayments } from './match-incoming.ts'

/**
 * A pull starts this long before the end of the previous complete pull, because providers list payments with a delay.
 */
const PULL_OVERLAP_MS = HOUR_MS
/** Daraja doesn't list older payments. */
const MAX_LOOKBACK_MS = 48 * HOUR_MS
/** The minimum interval between pulls, because confirmations trigger them too. */
const MIN_PULL_INTERVAL_MS = 30_000
const TOKEN_BYTES = 32

type PullableProvider = PaymentProvider & { incoming: IncomingPaymentSource }

export async function pullIncomingPayments(ctx: ServiceContext): Promise<void> {
  const { showsPaybillInstructions } = await ctx.content.load()
  const sources = ctx.payments.providers.filter((provider): provider is PullableProvider =>
    Boolean(provider.incoming),
  )
  for (const source of sources) await pullFromProvider(source, showsPaybillInstructions, ctx)
  await matchIncomingPayments(ctx)
}

/**
 * Also pulls without paybill instructions if a confirmation URL is registered or requested, because customers may pay
 * anyway.
 */
async function pullFromProvider(
  { name, incoming }: PullableProvider,
  showsPaybillInstructions: boolean,
  ctx: ServiceContext,
): Promise<void> {
  const { db } = ctx
  const nowMs = ctx.clock()
  const byProvider = eq(incomingSources.provider, name)
  const byDueTime = lte(incomingSources.nextPullAtMs, nowMs)
  const byUse = showsPaybillInstructions
    ? undefined
    : or(isNotNull(incomingSources.registeredAtMs), isNotNull(incomingSources.registrationRequestedAtMs))
  const [, [row], [token]] = await db.batch([
    db.insert(incomingSources).values({ provider: name }).onConflictDoNothing(),
    // Claims this pull, so that a concurrent run doesn't list the same payments.
    db
      .update(incomingSources)
      .set({ nextPullAtMs: nowMs + MIN_PULL_INTERVAL_MS })
      .where(and(byProvider, byDueTime, byUse))
      .returning(),
    db.select().from(providerTokens).where(eq(providerTokens.provider, name)),
  ])
  if (!row) return
  const accessToken = token ? { value: token.token, expiresAtMs: token.expiresAtMs } : null
  if (row.registrationRequestedAtMs !== null)
    await registerConfirmationUrl({ name, incoming }, accessToken, ctx)
  const startMs = Math.max((row.pulledToMs ?? 0) - PULL_OVERLAP_MS, nowMs - MAX_LOOKBACK_MS)
  const listed = await incoming.list({ startMs, endMs: nowMs }, accessToken)
  if (!listed.ok) {
    await db.update(incomingSources).set({ pullError: listed.error }).where(byProvider)
    return
  }
  // After a partial list, the next pull starts at the last payment, without the overlap.
  const lastMs = Math.max(startMs, ...listed.data.map(({ paidAtMs }) => paidAtMs))
  const pulledToMs = listed.isPartial ? lastMs + PULL_OVERLAP_MS : nowMs
  await db.batch([
    db.update(incomingSources).set({ pulledToMs, pullError: null }).where(byProvider),
    ...recordIncomingPaymentsStatements({ provider: name, source: 'pull', payments: listed.data }, ctx),
  ])
}

type StoredAccessToken = Parameters<IncomingPaymentSource['list']>[1]

/** Stores the new token's hash first, because a confirmation may arrive before the provider's response. */
async function registerConfirmationUrl(
  { name, incoming }: Pick<PullableProvider, 'name' | 'incoming'>,
  accessToken: StoredAccessToken,
  ctx: ServiceContext,
): Promise<void> {
  const { db, clock } = ctx
  const byProvider = eq(incomingSources.provider, name)
  const token = ctx.randomBytes(TOKEN_BYTES).toHex()
  const previous = await db
    .select({ tokenHash: incomingSources.tokenHash })
    .from(incomingSources)
    .where(byProvider)
    .get()
  await db
    .update(incomingSources)
    .set({ tokenHash: await sha256Hex(token), registrationRequestedAtMs: null })
    .where(byProvider)
  const confirmationUrl = `${getPublicOrigin(ctx.config)}/api/incoming/${token}`
  const urls = { confirmationUrl, validationUrl: `${confirmationUrl}/check` }
  const registered = await incoming.register(urls, accessToken)
  await db
    .update(incomingSources)
    .set(
      registered.ok
        ? { registeredAtMs: clock(), registrationError: null }
        : { tokenHash: previous?.tokenHash ?? null, registrationError: registered.error },
    )
    .where(byProvider)
}

export async function requestConfirmationUrlRegistration(actor: Actor, ctx: DataContext): Promise<void> {
  const provider = 'mpesa'
  const requested = { registrationRequestedAtMs: ctx.clock(), nextPullAtMs: 0 }
  const request = ctx.db
    .insert(incomingSources)
    .values({ provider, ...requested })
    .onConflictDoUpdate({ target: incomingSources.provider, set: requested })
  const audit = { actor, action: 'incoming.register', subject: provider } as const
  await commitAudited({ statements: [request], audit }, ctx)
}
