import type { PageLocation } from '../../router/page.ts'
import { AboutPage, fetchPrivacy } from './about.tsx'

export { AboutPage as Page, fetchPrivacy as prefetch }

/** An address with a hash waits for the section that it may name. */
export function load({ hash }: PageLocation): Promise<null> | null {
  return hash ? fetchPrivacy() : null
}
