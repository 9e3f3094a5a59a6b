import type { ShopConfig } from './wrangler.ts'

const EXAMPLE_ID = /^[0-]*$/
const EXAMPLE_DOMAIN = /\.example\b/

/** What is still an example in [env.production], one phrase each; empty when the shop can be deployed. */
export function unfilled({ vars, d1_databases, routes }: ShopConfig): string[] {
  const database = d1_databases.find(({ binding }) => binding === 'DB')
  const examples = Object.entries(vars).filter(([, value]) => EXAMPLE_DOMAIN.test(String(value)))
  return [
    ...(EXAMPLE_ID.test(database?.database_id ?? '')
      ? ['the database_id (npx wrangler d1 create pamba prints it)']
      : []),
    ...(EXAMPLE_DOMAIN.test(JSON.stringify(routes ?? [])) ? ['the domain in routes'] : []),
    ...examples.map(([name]) => name),
  ]
}

/** The names in `required` that `wrangler secret list` does not have; it answers with a list of names and types. */
export function missingSecrets(required: string[], listed: string): string[] {
  const known = (JSON.parse(listed) as { name: string }[]).map(({ name }) => name)
  return required.filter((name) => !known.includes(name))
}
