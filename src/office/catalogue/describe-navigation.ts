import { parseStoredCategories } from '#shared/catalogue/categories.ts'
import { parseRedirects } from '#shared/catalogue/redirects.ts'

const NAVIGATION_LABELS: Readonly<Record<string, string>> = {
  categories: 'Categories',
  redirects: 'Redirects',
}

export function getNavigationLabel(name: string): string {
  return NAVIGATION_LABELS[name] ?? name
}

/** An undefined `json` means the default. */
export function describeNavigation(name: string, json: string | undefined): string {
  const value: unknown = json === undefined ? undefined : JSON.parse(json)
  if (name === 'categories') return parseStoredCategories(value).slice(1).join(', ')
  return [...parseRedirects(value)]
    .map(([from, to]) => `Product ${from} redirects to product ${to}`)
    .join('\n')
}
