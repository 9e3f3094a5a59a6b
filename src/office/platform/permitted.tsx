import { createContext, type ReactNode, useContext } from 'react'
import type { Role } from '#shared/team/roles.ts'
import { mayUse } from './permissions.ts'

export const VisitorRoleContext = createContext<Role>('packer')

/** Renders its children only if the visitor's role may use `route`, such as `GET /stock/reservations`. */
export function Permitted({ route, children }: { route: string; children: ReactNode }) {
  return mayUse(useContext(VisitorRoleContext), route) ? children : null
}
