/** Paths on which a route change leaves the scroll position alone (§ 2). */
export const SCROLL_EXCLUDED_PATHS: readonly string[] = []
