import type { PageLocation } from '../../router/page.ts'
import { AboutPage, fetchSections } from './about.tsx'

export { AboutPage as Page, fetchSections as prefetch }

/** An address with a hash waits for the sections that it may name. */
export function load({ hash }: PageLocation): Promise<null> | null {
  return hash ? fetchSections() : null
}
