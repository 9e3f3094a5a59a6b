import { ROLES, type Role } from './roles.ts'

type AlertKindRow = { label: string; roles: readonly Role[]; byPush: boolean; byEmail: boolean }

const owner: readonly Role[] = ['owner']

/** The defaults apply until a person saves their own choice. */
export const ALERT_KINDS = {
  newOrder: { label: 'New order', roles: ROLES, byPush: true, byEmail: false },
  paymentProblem: { label: 'Payment problem', roles: owner, byPush: true, byEmail: false },
  failedRefund: { label: 'Failed refund', roles: owner, byPush: true, byEmail: false },
  lowStock: { label: 'Low stock', roles: ROLES, byPush: true, byEmail: false },
  newMessage: { label: 'New message', roles: owner, byPush: true, byEmail: false },
  stuckEmail: { label: 'Stuck email', roles: owner, byPush: true, byEmail: false },
  system: { label: 'Technical problem', roles: owner, byPush: true, byEmail: true },
  summary: { label: 'Daily summary', roles: owner, byPush: false, byEmail: false },
} as const satisfies Record<string, AlertKindRow>

export type AlertKind = keyof typeof ALERT_KINDS
export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as AlertKind[]

export function isAlertFor(role: Role, kind: AlertKind): boolean {
  return (ALERT_KINDS[kind].roles as readonly Role[]).includes(role)
}
