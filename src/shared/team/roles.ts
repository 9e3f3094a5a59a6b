export const ROLES = ['owner', 'packer'] as const
export type Role = (typeof ROLES)[number]

export const ROLE_LABELS: Record<Role, string> = { owner: 'Owner', packer: 'Packer' }

export type Actor = { email: string; role: Role }

export function normaliseMemberEmail(email: string): string {
  return email.trim().toLowerCase()
}
