import type { PageLocation } from '../../router/page.ts'
import { ContactPage, fetchDelivery } from './contact.tsx'

export { ContactPage as Page, fetchDelivery as prefetch }

/** An address with a hash waits for the sections that it may name. */
export function load({ hash }: PageLocation): Promise<null> | null {
  return hash ? fetchDelivery() : null
}
