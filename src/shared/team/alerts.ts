import { ROLES, type Role } from './roles.ts'

type AlertKindDefinition = { label: string; roles: readonly Role[]; sendsPush: boolean; sendsEmail: boolean }

const OWNER_ONLY: readonly Role[] = ['owner']

/** The alerts and their defaults, which apply until a team member saves a choice. */
export const ALERT_KINDS = {
  newOrder: { label: 'New order', roles: ROLES, sendsPush: true, sendsEmail: false },
  paymentProblem: { label: 'Payment problem', roles: OWNER_ONLY, sendsPush: true, sendsEmail: false },
  failedRefund: { label: 'Failed refund', roles: OWNER_ONLY, sendsPush: true, sendsEmail: false },
  lowStock: { label: 'Low stock', roles: ROLES, sendsPush: true, sendsEmail: false },
  newMessage: { label: 'New message', roles: OWNER_ONLY, sendsPush: true, sendsEmail: false },
  stuckEmail: { label: 'Stuck email', roles: OWNER_ONLY, sendsPush: true, sendsEmail: false },
  system: { label: 'Technical problem', roles: OWNER_ONLY, sendsPush: true, sendsEmail: true },
  summary: { label: 'Daily summary', roles: OWNER_ONLY, sendsPush: false, sendsEmail: false },
} as const satisfies Record<string, AlertKindDefinition>

export type AlertKind = keyof typeof ALERT_KINDS
export const ALERT_KIND_NAMES = Object.keys(ALERT_KINDS) as AlertKind[]

export function isAlertFor(role: Role, kind: AlertKind): boolean {
  return (ALERT_KINDS[kind].roles as readonly Role[]).includes(role)
}
