export const ROLES = ['owner', 'packer'] as const
export type Role = (typeof ROLES)[number]

export const ROLE_LABELS: Record<Role, string> = { owner: 'Owner', packer: 'Packer' }

export type Actor = { email: string; role: Role }

/** Returns the form in which email addresses of team members are compared. */
export function normaliseMemberEmail(email: string): string {
  return email.trim().toLowerCase()
}
