import { parseArgs } from 'node:util'
import { REQUIRED_SETTINGS } from '#server/payments/providers/settings.ts'
import { PAYMENT_METHODS, type PaymentMethod } from '#shared/payments/providers.ts'
import { build, checkCode, requireCatalogue } from './build.ts'
import { command, runTool, ToolError } from './command.ts'
import {
  CONFIG_FILE,
  OFFICE_CONFIG_FILE,
  requireConfig,
  type ShopConfig,
  wranglerCommand,
} from './wrangler.ts'

const PRODUCTION = ['--config', CONFIG_FILE, '--env', 'production']
const BUILT_OFFICE = ['--config', 'dist/office/wrangler.json']

function flags() {
  try {
    return parseArgs({ options: { 'dry-run': { type: 'boolean' }, force: { type: 'boolean' } } }).values
  } catch {
    throw new ToolError('npm run deploy takes two options: -- --dry-run and -- --force.')
  }
}

async function requireCleanCheckout(): Promise<void> {
  const changes = await command('git', ['status', '--porcelain'], "This isn't a git checkout.", {
    output: 'on-failure',
  })
  if (!changes) return
  throw new ToolError(
    'There are uncommitted changes. Commit them, or deploy anyway: npm run deploy -- --force',
  )
}

async function requireSecrets(required: string[]): Promise<void> {
  const listed = await wranglerCommand(
    ['secret', 'list', '--format', 'json', ...PRODUCTION],
    "Couldn't list your account's secrets. Log in with `npx wrangler login`, then set the first one with `npx wrangler secret put COOKIE_SECRET --env production`.",
  )
  const missing = missingSecrets(required, listed)
  if (missing.length === 0) return
  throw new ToolError(
    `Not set yet: ${missing.join(', ')}. Set it with: npx wrangler secret put ${missing[0]} --env production`,
  )
}

/** A Worker can only be deployed when the bucket it is bound to exists. */
async function requireBucket({ r2_buckets }: ShopConfig): Promise<void> {
  for (const { bucket_name = '' } of r2_buckets)
    await wranglerCommand(
      ['r2', 'bucket', 'info', bucket_name],
      () =>
        `The photo bucket doesn't exist yet. Create it with: npx wrangler r2 bucket create ${bucket_name}`,
    )
}

const EXAMPLE_ID = /^[0-]*$/
const EXAMPLE_DOMAIN = /\.example\b/

export function findPlaceholders({ vars, d1_databases, kv_namespaces, routes }: ShopConfig): string[] {
  const database = d1_databases.find(({ binding }) => binding === 'DB')
  const versions = kv_namespaces.find(({ binding }) => binding === 'CATALOGUE')
  const examples = Object.entries(vars).filter(([, value]) => EXAMPLE_DOMAIN.test(String(value)))
  return [
    ...(EXAMPLE_ID.test(database?.database_id ?? '')
      ? ['the database_id (npx wrangler d1 create pamba prints it)']
      : []),
    ...(EXAMPLE_ID.test(versions?.id ?? '')
      ? ['the id of CATALOGUE (npx wrangler kv namespace create pamba-catalogue prints it)']
      : []),
    ...(EXAMPLE_DOMAIN.test(JSON.stringify(routes ?? [])) ? ['the domain in routes'] : []),
    ...examples.map(([name]) => name),
    ...(hasValidPayments(vars) ? [] : ['PAYMENTS (mpesa, paystack or both; simulated alone takes no money)']),
  ]
}

export function hasOffice({ routes }: ShopConfig): boolean {
  return !EXAMPLE_DOMAIN.test(JSON.stringify(routes ?? []))
}

export function findMissingOfficeSettings(office: ShopConfig, shop: ShopConfig): string[] {
  const idOf = ({ d1_databases }: ShopConfig) =>
    d1_databases.find(({ binding }) => binding === 'DB')?.database_id
  const storeOf = ({ kv_namespaces }: ShopConfig) =>
    kv_namespaces.find(({ binding }) => binding === 'CATALOGUE')?.id
  return [
    ...(storeOf(office) === storeOf(shop) ? [] : [`the id of CATALOGUE (as in ${CONFIG_FILE})`]),
    ...(idOf(office) === idOf(shop) ? [] : [`the database_id (as in ${CONFIG_FILE})`]),
    ...(office.vars.SITE_ORIGIN === shop.vars.SITE_ORIGIN ? [] : [`SITE_ORIGIN (as in ${CONFIG_FILE})`]),
    ...['OWNER_EMAIL', 'ACCESS_TEAM', 'ACCESS_AUDIENCE'].filter((name) => !office.vars[name]),
  ]
}

/** Checks the statuses of the shop's health check and of an anonymous request to the office. */
export function findProblemOnline({
  shopStatus,
  officeStatus,
}: {
  shopStatus: number
  officeStatus?: number
}) {
  if (shopStatus !== 200) return `it was deployed, but its health check returned ${shopStatus}.`
  // Access redirects to its login page; without Access the office itself returns 403.
  if (officeStatus !== undefined && ![302, 403].includes(officeStatus))
    return `it was deployed, but the office returned ${officeStatus} to an anonymous request instead of 403 or the login page.`
  return undefined
}

async function fetchStatus(address: string): Promise<number> {
  return fetch(address, { redirect: 'manual' }).then(
    ({ status }) => status,
    () => 0,
  )
}

function officeOrigin({ routes }: ShopConfig): string {
  const [route] = Array.isArray(routes) ? routes : []
  return `https://${typeof route === 'string' ? route : route.pattern}`
}

/** Real providers, or deliberately nothing but simulated payments. */
function hasValidPayments({ PAYMENTS }: ShopConfig['vars']): boolean {
  const methods = parsePaymentMethods(PAYMENTS)
  return methods.length > 0 && (methods.length === 1 || !methods.includes('simulated'))
}

function parsePaymentMethods(list: unknown): PaymentMethod[] {
  const words = String(list ?? '').split(',')
  return PAYMENT_METHODS.filter((method) => words.some((word) => word.trim() === method))
}

/** The settings of the payment methods that wrangler.toml doesn't have, so they must be secrets. */
export function requiredPaymentSecrets(vars: ShopConfig['vars']): string[] {
  return parsePaymentMethods(vars.PAYMENTS)
    .flatMap((method): readonly string[] => REQUIRED_SETTINGS[method])
    .filter((name) => !vars[name])
}

export function missingSecrets(required: string[], listed: string): string[] {
  const names = (JSON.parse(listed) as { name: string }[]).map(({ name }) => name)
  return required.filter((name) => !names.includes(name))
}

// `npm run deploy`: checks, builds, migrates the production database and deploys; stops at the first failure.
// `--dry-run` only builds and lets wrangler check the result; `--force` allows uncommitted changes.
if (import.meta.main) {
  await runTool(async () => {
    const { 'dry-run': isDryRun, force } = flags()
    const config = await requireConfig('production')
    const office = await requireConfig('production', OFFICE_CONFIG_FILE)
    const includesOffice = hasOffice(office)
    requireCatalogue()
    if (!isDryRun) {
      if (!force) await requireCleanCheckout()
      const examples = findPlaceholders(config)
      if (examples.length > 0)
        throw new ToolError(`Fill in [env.production] of ${CONFIG_FILE} first: ${examples.join(', ')}.`)
      const missing = includesOffice ? findMissingOfficeSettings(office, config) : []
      if (missing.length > 0)
        throw new ToolError(`Fill in [env.production] of ${OFFICE_CONFIG_FILE} first: ${missing.join(', ')}.`)
      await requireSecrets([...(config.secrets?.required ?? []), ...requiredPaymentSecrets(config.vars)])
      await requireBucket(config)
      console.log('Checking types and lint …')
      await checkCode()
    }

    console.log('Building for production …')
    await build('production')
    if (isDryRun) {
      for (const [name, built] of [['The shop', []] as const, ['The office', BUILT_OFFICE] as const]) {
        const dryRun = ['deploy', '--dry-run', ...built]
        const report = await wranglerCommand(dryRun, `${name} can't be deployed; see above.`)
        console.log(`${name}: ${/^Total Upload:.*$/m.exec(report)?.[0] ?? report}`)
      }
      return
    }

    console.log('Migrating the production database …')
    await wranglerCommand(
      ['d1', 'migrations', 'apply', 'DB', '--remote', ...PRODUCTION],
      'Migrating the production database failed, so nothing was deployed; see above.',
    )
    console.log('Deploying …')
    await wranglerCommand(['deploy'], "The Worker wasn't deployed; see above.", 'show')
    if (includesOffice)
      await wranglerCommand(
        ['deploy', ...BUILT_OFFICE],
        "The shop was deployed, but the office wasn't; see above.",
        'show',
      )
    const health = `${config.vars.SITE_ORIGIN}/api/health`
    const problem = findProblemOnline({
      shopStatus: await fetchStatus(health),
      ...(includesOffice ? { officeStatus: await fetchStatus(officeOrigin(office)) } : {}),
    })
    if (problem) throw new ToolError(`Please check: ${problem} A new domain can take a few minutes.`)
    console.log(`Deployed. Health check: ${health}`)
    console.log(
      includesOffice
        ? `The office: ${officeOrigin(office)}`
        : `The office isn't set up, so it wasn't deployed. See docs/operating.md, "The office".`,
    )
  })
}
