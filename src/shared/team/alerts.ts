import { ROLES, type Role } from './roles.ts'

type AlertKindDefinition = { label: string; roles: readonly Role[]; byPush: boolean; byEmail: boolean }

const OWNER_ONLY: readonly Role[] = ['owner']

/** The alerts and their defaults, which apply until a team member saves a choice. */
export const ALERT_KINDS = {
  newOrder: { label: 'New order', roles: ROLES, byPush: true, byEmail: false },
  paymentProblem: { label: 'Payment problem', roles: OWNER_ONLY, byPush: true, byEmail: false },
  failedRefund: { label: 'Failed refund', roles: OWNER_ONLY, byPush: true, byEmail: false },
  lowStock: { label: 'Low stock', roles: ROLES, byPush: true, byEmail: false },
  newMessage: { label: 'New message', roles: OWNER_ONLY, byPush: true, byEmail: false },
  stuckEmail: { label: 'Stuck email', roles: OWNER_ONLY, byPush: true, byEmail: false },
  system: { label: 'Technical problem', roles: OWNER_ONLY, byPush: true, byEmail: true },
  summary: { label: 'Daily summary', roles: OWNER_ONLY, byPush: false, byEmail: false },
} as const satisfies Record<string, AlertKindDefinition>

export type AlertKind = keyof typeof ALERT_KINDS
export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as AlertKind[]

export function isAlertFor(role: Role, kind: AlertKind): boolean {
  return (ALERT_KINDS[kind].roles as readonly Role[]).includes(role)
}
