import { createContext, type ReactNode, useContext } from 'react'
import type { Role } from '#shared/team/roles.ts'
import { mayUse } from './permissions.ts'

export const VisitorRole = createContext<Role>('packer')

/** Renders links and forms only for roles that may use `route`: `GET /stock/reservations`. */
export function Permitted({ route, children }: { route: string; children: ReactNode }) {
  return mayUse(useContext(VisitorRole), route) ? children : null
}
