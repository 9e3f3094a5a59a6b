import { inArray, lt, sql } from 'drizzle-orm'
import type { DataContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import { attemptCounts } from '#server/platform/db/schema.ts'
import { formatWait, type RateLimiters } from '#server/platform/rate-limit.ts'
import type { ServiceError } from '#server/platform/result.ts'
import { MINUTE_MS } from '#shared/time.ts'
import type { Client } from './client.ts'

const FIRST_PAUSE_MS = MINUTE_MS
const MAX_PAUSE_MS = 60 * MINUTE_MS
export const FAILURE_TTL_MS = 24 * 60 * MINUTE_MS
const FAILURES_BEFORE_PAUSE = { device: 10, network: 5, account: 30 } as const

/**
 * Use it for actions that hash a password. Attempts from unknown devices also count towards a limit that all clients
 * share.
 */
export async function isAttemptAllowed(
  action: string,
  client: Client,
  isKnownDevice: boolean,
  limits: RateLimiters,
): Promise<boolean> {
  if (!(await isRequestAllowed(action, client, isKnownDevice, limits))) return false
  return (isKnownDevice && client.device !== null) || limits.everyone(action)
}

export async function isRequestAllowed(
  action: string,
  { ipAddress, network, device }: Client,
  isKnownDevice: boolean,
  limits: RateLimiters,
): Promise<boolean> {
  if (isKnownDevice && device) return limits.attempts(`${action} by device ${device.id}`)
  return (
    (await limits.attempts(`${action} from ${ipAddress}`)) &&
    (await limits.network(`${action} from ${network}`))
  )
}

export type FailureCount = { key: string; kind: keyof typeof FAILURES_BEFORE_PAUSE }

export async function listFailureCounts(
  identity: string,
  { device, network }: Client,
  isKnown: boolean,
): Promise<readonly FailureCount[]> {
  const count = async (kind: FailureCount['kind'], source: string) => ({
    key: await sha256Hex(JSON.stringify(['failed sign-in', kind, source, identity])),
    kind,
  })
  if (isKnown && device) return [await count('device', device.id)]
  return [await count('network', network), await count('account', '')]
}

export function selectCounts(counts: readonly FailureCount[], { db }: DataContext) {
  return db
    .select()
    .from(attemptCounts)
    .where(inArray(attemptCounts.key, toKeys(counts)))
}

export function getPauseMs(
  counts: readonly FailureCount[],
  rows: readonly (typeof attemptCounts.$inferSelect)[],
  nowMs: number,
): number {
  const pauses = counts.map(({ key, kind }) => {
    const row = rows.find((candidate) => candidate.key === key)
    const excess = (row?.attempts ?? 0) - FAILURES_BEFORE_PAUSE[kind]
    if (!row || excess < 0 || row.lastAtMs < nowMs - FAILURE_TTL_MS) return 0
    return row.lastAtMs + Math.min(FIRST_PAUSE_MS * 2 ** excess, MAX_PAUSE_MS) - nowMs
  })
  return Math.max(0, ...pauses)
}

export function createLoginPausedError(
  waitMs: number,
  reason = 'Too many incorrect passwords.',
): ServiceError {
  return {
    code: 'login_paused',
    message: `${reason} Please wait ${formatWait(waitMs)} and try again, or reset your password by email.`,
    retryAfterSeconds: Math.ceil(waitMs / 1000),
  }
}

/**
 * Counts attempts over a longer time than the rate limits do. A count restarts after `FAILURE_TTL_MS` without an
 * attempt.
 */
export function recordAttemptsStatement(keys: readonly string[], { db, clock }: DataContext) {
  const nowMs = clock()
  const byExpiredCount = lt(attemptCounts.lastAtMs, nowMs - FAILURE_TTL_MS)
  return db
    .insert(attemptCounts)
    .values(keys.map((key) => ({ key, attempts: 1, lastAtMs: nowMs })))
    .onConflictDoUpdate({
      target: attemptCounts.key,
      set: {
        attempts: sql`case when ${byExpiredCount} then 1 else ${attemptCounts.attempts} + 1 end`,
        lastAtMs: nowMs,
      },
    })
}

export async function recordFailure(counts: readonly FailureCount[], ctx: DataContext): Promise<void> {
  await recordAttemptsStatement(toKeys(counts), ctx)
}

/** Keeps the account's count, because it includes other clients' attempts. */
export function clearCountsStatement(counts: readonly FailureCount[], { db }: DataContext) {
  const own = counts.filter(({ kind }) => kind !== 'account')
  return db.delete(attemptCounts).where(inArray(attemptCounts.key, toKeys(own)))
}

function toKeys(counts: readonly FailureCount[]): string[] {
  return counts.map(({ key }) => key)
}
