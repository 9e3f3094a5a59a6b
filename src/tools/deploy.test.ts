import { expect, it } from 'vitest'
import { shop, shopProfile } from '#shared/shop.ts'
import { findOnlineProblem } from './deploy.ts'
import { findDeployProblems, listMissingSecrets, listRequiredSecrets } from './deploy-checks.ts'
import { OFFICE_CONFIG_FILE, requireConfig, type ShopConfig } from './wrangler.ts'

const blank = {
  config: await requireConfig('production'),
  office: await requireConfig('production', OFFICE_CONFIG_FILE),
  identity: { ...shop, ...shopProfile },
}

const ids = {
  d1_databases: [{ binding: 'DB', database_id: 'b1a7f6f2-61c2-4c93-8f3f-0d6a4bb1f9aa' }],
  kv_namespaces: [{ binding: 'CATALOGUE', id: '0f2ac74b498b48028cb68387c421e279' }],
  r2_buckets: [{ binding: 'PHOTOS', bucket_name: 'pamba-photos' }],
}
const complete = {
  config: {
    ...ids,
    vars: {
      ENVIRONMENT: 'production',
      SITE_ORIGIN: 'https://pamba.co.ke',
      OFFICE_ORIGIN: 'https://office.pamba.co.ke',
      MAIL_FROM: 'hello@pamba.co.ke',
      PAYMENTS: 'mpesa,paystack',
      MPESA_SHORTCODE: '600123',
    },
    routes: [{ pattern: 'pamba.co.ke', custom_domain: true }],
    secrets: { required: ['COOKIE_SECRET'] },
    send_email: [{ name: 'MAIL', allowed_sender_addresses: ['hello@pamba.co.ke'] }],
  } as ShopConfig,
  office: {
    ...ids,
    vars: {
      ENVIRONMENT: 'production',
      SITE_ORIGIN: 'https://pamba.co.ke',
      OWNER_EMAIL: 'achieng@pamba.co.ke',
      ACCESS_TEAM: 'pamba',
      ACCESS_AUDIENCE: 'ab'.repeat(32),
    },
    routes: [{ pattern: 'office.pamba.co.ke', custom_domain: true }],
  } as ShopConfig,
  identity: { ...shop, email: 'hello@pamba.co.ke', social: '', code: '', calendar: '' },
}
const withVars = (vars: Record<string, string>) => ({
  ...complete,
  config: { ...complete.config, vars: { ...complete.config.vars, ...vars } },
})

it('the deploy check finds no problem in complete settings', () => {
  expect(findDeployProblems(complete)).toEqual([])
})

it('the deploy check lists everything that is blank or still has its example value', () => {
  expect(findDeployProblems(blank)).toEqual([
    'wrangler.toml: the database_id is missing (npx wrangler d1 create pamba prints it)',
    'wrangler.toml: the id of CATALOGUE is missing (npx wrangler kv namespace create pamba-catalogue prints it)',
    'wrangler.toml: routes still has the example domain',
    'wrangler.toml: SITE_ORIGIN still has its example value',
    'wrangler.toml: OFFICE_ORIGIN still has its example value',
    'wrangler.toml: MAIL_FROM still has its example value',
    'wrangler.toml: OPERATOR_EMAIL still has its example value',
    'wrangler.toml: allowed_sender_addresses must be the address in MAIL_FROM',
    'wrangler.toml: PAYMENTS must be set in production: mpesa, paystack or both; or simulated, which takes no money',
    'src/office/wrangler.toml: the database_id is missing (npx wrangler d1 create pamba prints it)',
    'src/office/wrangler.toml: the id of CATALOGUE is missing (npx wrangler kv namespace create pamba-catalogue prints it)',
    'src/office/wrangler.toml: routes still has the example domain',
    'src/office/wrangler.toml: SITE_ORIGIN still has its example value',
    'src/office/wrangler.toml: OWNER_EMAIL is missing',
    'src/office/wrangler.toml: ACCESS_TEAM is missing',
    'src/office/wrangler.toml: ACCESS_AUDIENCE is missing',
    'src/shared/shop.ts: email still has its example value',
    'src/shared/shop.ts: social still has its example value',
    'src/shared/shop.ts: code still has its example value',
    'src/shared/shop.ts: calendar still has its example value',
  ])
})

it('the deploy check lists what is missing or inconsistent in partly filled-in settings', () => {
  expect(findDeployProblems({ ...complete, office: blank.office, identity: blank.identity })).toEqual(
    expect.arrayContaining([
      'src/office/wrangler.toml: database_id must be the same as in wrangler.toml',
      'src/office/wrangler.toml: SITE_ORIGIN must be the same as in wrangler.toml',
      'src/shared/shop.ts: email still has its example value',
    ]),
  )
})

it.each([
  [{ ENVIRONMENT: 'local' }, 'ENVIRONMENT must be production'],
  [{ PAYMENTS: '' }, 'PAYMENTS must be set in production'],
  [{ PAYMENTS: 'cash' }, 'PAYMENTS.0 must be one or more of'],
  [{ PAYMENTS: 'simulated,mpesa' }, 'PAYMENTS mixes simulated'],
  [{ MPESA_BASE: 'http://127.0.0.1:5002' }, 'MPESA_BASE must be an https address'],
  [{ MPESA_BASE: 'https://sandbox.safaricom.co.ke' }, 'MPESA_BASE belongs to a sandbox'],
  [{ MPESA_SHORTCODE: '' }, 'MPESA_SHORTCODE is missing but PAYMENTS includes mpesa'],
  [{ MPESA_SHORTCODE: '174379' }, 'MPESA_SHORTCODE belongs to a sandbox'],
  [{ PAYSTACK_SECRET_KEY: 'sk_test_1' }, 'PAYSTACK_SECRET_KEY belongs to a sandbox'],
  [{ PAYSTACK_SECRET_KEY: 'sk_live_1' }, 'PAYSTACK_SECRET_KEY is a secret'],
  [{ COOKIE_SECRET: 'kR2vX9qLm4Tz8WcY1nBf6HsJ3pDg7uEa' }, 'COOKIE_SECRET is a secret'],
  [{ TURNSTILE_SITE_KEY: '1x00000000000000000000AA' }, 'TURNSTILE_SITE_KEY is a Turnstile test key'],
  [{ OFFICE_ORIGIN: 'https://admin.pamba.co.ke' }, 'routes must be the host name of OFFICE_ORIGIN'],
  [{ MAIL_FROM: 'shop@pamba.co.ke' }, 'allowed_sender_addresses must be the address in MAIL_FROM'],
])('the deploy check refuses %j in the shop’s settings', (vars, problem) => {
  expect(findDeployProblems(withVars(vars)).join('\n')).toContain(`wrangler.toml: ${problem}`)
})

it.each([
  [{ ENVIRONMENT: 'local' }, 'ENVIRONMENT must be production'],
  [{ OWNER_EMAIL: 'achieng' }, 'OWNER_EMAIL must be an email address'],
  [{ ACCESS_TEAM: 'pamba.cloudflareaccess.com' }, 'ACCESS_TEAM must be the team’s name only'],
  [{ ACCESS_AUDIENCE: 'pamba' }, 'ACCESS_AUDIENCE must be 64 hexadecimal digits'],
  [{ PUSH_SANDBOX: 'http://127.0.0.1:5004' }, 'PUSH_SANDBOX must be an https address'],
])('the deploy check refuses %j in the office’s settings', (vars, problem) => {
  const office = { ...complete.office, vars: { ...complete.office.vars, ...vars } }
  expect(findDeployProblems({ ...complete, office }).join('\n')).toContain(
    `${OFFICE_CONFIG_FILE}: ${problem}`,
  )
})

it('the deploy check accepts simulated payments alone, and a sandbox if the settings allow it', () => {
  expect(findDeployProblems(withVars({ PAYMENTS: 'simulated' }))).toEqual([])
  const sandbox = { ALLOW_SANDBOX_PAYMENTS: 'true', MPESA_BASE: 'https://sandbox.safaricom.co.ke' }
  expect(findDeployProblems(withVars(sandbox))).toEqual([])
})

it('the deploy check requires the secrets of the chosen payment methods and of Turnstile', () => {
  expect(listRequiredSecrets(withVars({ TURNSTILE_SITE_KEY: '0x4AAA' }).config)).toEqual([
    'COOKIE_SECRET',
    'MPESA_CONSUMER_KEY',
    'MPESA_CONSUMER_SECRET',
    'MPESA_PASSKEY',
    'PAYSTACK_SECRET_KEY',
    'TURNSTILE_SECRET_KEY',
  ])
  expect(listRequiredSecrets(withVars({ PAYMENTS: 'simulated' }).config)).toEqual(['COOKIE_SECRET'])
})

it('the deploy check names required secrets that are not set', () => {
  const listed = JSON.stringify([{ name: 'OTHER', type: 'secret_text' }])
  expect(listMissingSecrets(['COOKIE_SECRET', 'OTHER'], listed)).toEqual(['COOKIE_SECRET'])
})

it('the shop has the same bindings in production as locally', async () => {
  const local = await requireConfig()
  const bindings = (config: object) => {
    const { d1_databases, kv_namespaces, r2_buckets, send_email, ratelimits, version_metadata } =
      config as Record<string, unknown>
    const names = (list: unknown) =>
      (list as { name?: string; binding?: string }[]).map(({ name, binding }) => name ?? binding)
    return [
      names(d1_databases),
      names(kv_namespaces),
      names(r2_buckets),
      names(send_email),
      names(ratelimits),
      version_metadata,
    ]
  }
  expect(bindings(blank.config)).toEqual(bindings(local))
})

it('the deploy check requires that the shop responds and that the office refuses anonymous requests', () => {
  expect(findOnlineProblem({ shopStatus: 200, officeStatus: 302 })).toBeUndefined()
  expect(findOnlineProblem({ shopStatus: 200, officeStatus: 403 })).toBeUndefined()
  expect(findOnlineProblem({ shopStatus: 503, officeStatus: 403 })).toContain('health check returned 503')
  expect(findOnlineProblem({ shopStatus: 0, officeStatus: 403 })).toContain('health check got no response')
  expect(findOnlineProblem({ shopStatus: 200, officeStatus: 200 })).toContain(
    'anonymous request returned 200',
  )
})
