import { createContext, type ReactNode, useContext } from 'react'
import type { Role } from '#shared/team/roles.ts'
import { mayUse } from './permissions.ts'

export const RoleContext = createContext<Role>('packer')

export function Permitted({ route, children }: { route: string; children: ReactNode }) {
  return mayUse(useContext(RoleContext), route) ? children : null
}
