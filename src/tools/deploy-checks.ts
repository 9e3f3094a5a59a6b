import { randomBytes } from 'node:crypto'
import { findOfficeConfigProblems } from '#office/context.ts'
import { findConfigProblems } from '#server/env.ts'
import { REQUIRED_SETTINGS } from '#server/payments/providers/settings.ts'
import { SECRET_SETTINGS } from '#server/production-settings.ts'
import { CONFIGURED_METHODS } from '#shared/payments/providers.ts'
import type { ShopConfig } from './wrangler.ts'
import { CONFIG_FILE, getCatalogueId, getDatabaseId, OFFICE_CONFIG_FILE } from './wrangler.ts'

const IDENTITY_FILE = 'src/shared/shop.ts'
const PLACEHOLDER_ID_PATTERN = /^[0-]*$/
const EXAMPLE_DOMAIN_PATTERN = /\.example\b/
const OFFICE_SETTINGS = ['OWNER_EMAIL', 'ACCESS_TEAM', 'ACCESS_AUDIENCE']

type DeployConfiguration = {
  config: ShopConfig
  office: ShopConfig
  identity: Readonly<Record<string, unknown>>
}

export function findDeployProblems({ config, office, identity }: DeployConfiguration): string[] {
  const inFile = (file: string, problems: string[]) => problems.map((problem) => `${file}: ${problem}`)
  return [
    ...inFile(CONFIG_FILE, [...findFileProblems(config), ...findWorkerProblems(config)]),
    ...inFile(OFFICE_CONFIG_FILE, [...findFileProblems(office), ...findOfficeProblems(office, config)]),
    ...inFile(IDENTITY_FILE, listExampleNames(identity)),
  ]
}

const isPlaceholder = (id = '') => PLACEHOLDER_ID_PATTERN.test(id)

function findFileProblems(config: ShopConfig): string[] {
  const { vars, routes, send_email = [] } = config
  const isSender = (addresses: string[]) =>
    addresses.includes(String(vars.MAIL_FROM)) && !EXAMPLE_DOMAIN_PATTERN.test(addresses.join())
  return [
    isPlaceholder(getDatabaseId(config)) &&
      'the database_id is missing (npx wrangler d1 create pamba prints it)',
    isPlaceholder(getCatalogueId(config)) &&
      'the id of CATALOGUE is missing (npx wrangler kv namespace create pamba-catalogue prints it)',
    EXAMPLE_DOMAIN_PATTERN.test(JSON.stringify(routes ?? [])) && 'routes still has the example domain',
    ...listExampleNames(vars),
    !send_email.every(({ allowed_sender_addresses = [] }) => isSender(allowed_sender_addresses)) &&
      'allowed_sender_addresses must be the address in MAIL_FROM',
    ...SECRET_SETTINGS.filter((name) => vars[name]).map(
      (name) =>
        `${name} is a secret: remove it here, then run npx wrangler secret put ${name} --env production`,
    ),
  ].filter((problem) => problem !== false)
}

function findWorkerProblems(config: ShopConfig): string[] {
  const secrets = listRequiredSecrets(config).map((name) => [name, randomBytes(32).toString('base64')])
  return findConfigProblems({ ...config.vars, ...Object.fromEntries(secrets) })
}

function findOfficeProblems(office: ShopConfig, shop: ShopConfig): string[] {
  const shared = {
    database_id: getDatabaseId,
    'the id of CATALOGUE': getCatalogueId,
    SITE_ORIGIN: ({ vars }: ShopConfig) => vars.SITE_ORIGIN,
  }
  return [
    shop.vars.OFFICE_ORIGIN !== getOfficeOrigin(office) &&
      `routes must be the host name of OFFICE_ORIGIN in ${CONFIG_FILE}`,
    ...Object.entries(shared).map(
      ([name, read]) => read(office) !== read(shop) && `${name} must be the same as in ${CONFIG_FILE}`,
    ),
    ...OFFICE_SETTINGS.filter((name) => !office.vars[name]).map((name) => `${name} is missing`),
    ...findOfficeConfigProblems(office.vars),
  ].filter((problem) => problem !== false)
}

export function getOfficeOrigin({ routes }: ShopConfig): string {
  const [route = ''] = routes ?? []
  return `https://${typeof route === 'string' ? route : route.pattern}`
}

function listExampleNames(values: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(values)
    .filter(([, value]) => EXAMPLE_DOMAIN_PATTERN.test(String(value)))
    .map(([name]) => `${name} still has its example value`)
}

export function listRequiredSecrets({ vars, secrets }: ShopConfig): string[] {
  const words = String(vars.PAYMENTS ?? '').split(',')
  const methods = CONFIGURED_METHODS.filter((method) => words.some((word) => word.trim() === method))
  return [
    ...(secrets?.required ?? []),
    ...methods
      .flatMap((method): readonly string[] => REQUIRED_SETTINGS[method])
      .filter((name) => !vars[name] && SECRET_SETTINGS.some((secret) => secret === name)),
    ...(vars.TURNSTILE_SITE_KEY ? ['TURNSTILE_SECRET_KEY'] : []),
  ]
}

export function listMissingSecrets(required: string[], listed: string): string[] {
  const names = (JSON.parse(listed) as { name: string }[]).map(({ name }) => name)
  return required.filter((name) => !names.includes(name))
}
