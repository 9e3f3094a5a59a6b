import { expect, it } from 'vitest'
import {
  findMissingOfficeSettings,
  findPlaceholders,
  findProblemOnline,
  hasOffice,
  missingSecrets,
  requiredPaymentSecrets,
} from './deploy.ts'
import { OFFICE_CONFIG_FILE, requireConfig } from './wrangler.ts'

const filledIn = {
  vars: { SITE_ORIGIN: 'https://pamba.co.ke', MAIL_FROM: 'hello@pamba.co.ke', PAYMENTS: 'mpesa' },
  d1_databases: [{ binding: 'DB', database_id: 'b1a7f6f2-61c2-4c93-8f3f-0d6a4bb1f9aa' }],
  kv_namespaces: [{ binding: 'CATALOGUE', id: '0f2ac74b498b48028cb68387c421e279' }],
  r2_buckets: [{ binding: 'PHOTOS', bucket_name: 'pamba-photos' }],
  routes: [{ pattern: 'pamba.co.ke', custom_domain: true }],
}

const example = {
  vars: { SITE_ORIGIN: 'https://pamba.example', MAIL_FROM: 'hello@pamba.example', CHAT_SCRIPT_URL: '' },
  d1_databases: [{ binding: 'DB', database_id: '00000000-0000-0000-0000-000000000000' }],
  kv_namespaces: [{ binding: 'CATALOGUE', id: '00000000000000000000000000000000' }],
  r2_buckets: [],
  routes: [{ pattern: 'pamba.example', custom_domain: true }],
}

it('names every placeholder left in wrangler.toml', () => {
  expect(findPlaceholders(example)).toEqual([
    'the database_id (npx wrangler d1 create pamba prints it)',
    'the id of CATALOGUE (npx wrangler kv namespace create pamba-catalogue prints it)',
    'the domain in routes',
    'SITE_ORIGIN',
    'MAIL_FROM',
    'PAYMENTS (mpesa, paystack or both; simulated alone takes no money)',
  ])
})

it('deploys a configured shop', () => {
  expect(findPlaceholders(filledIn)).toEqual([])
})

it.each(['', 'cash', 'simulated,mpesa'])('refuses PAYMENTS "%s"', (PAYMENTS) => {
  expect(findPlaceholders({ ...filledIn, vars: { ...filledIn.vars, PAYMENTS } })).toHaveLength(1)
})

it('deploys a shop with only simulated payments', () => {
  expect(findPlaceholders({ ...filledIn, vars: { ...filledIn.vars, PAYMENTS: 'simulated' } })).toEqual([])
})

it('requires the payment methods’ keys unless wrangler.toml has them', () => {
  expect(requiredPaymentSecrets({ PAYMENTS: 'mpesa,paystack', MPESA_SHORTCODE: '174379' })).toEqual([
    'MPESA_CONSUMER_KEY',
    'MPESA_CONSUMER_SECRET',
    'MPESA_PASSKEY',
    'PAYSTACK_SECRET_KEY',
  ])
  expect(requiredPaymentSecrets({ PAYMENTS: 'simulated' })).toEqual([])
})

it('refuses a database without an id', () => {
  expect(findPlaceholders({ ...filledIn, d1_databases: [{ binding: 'DB' }] })).toHaveLength(1)
})

it('names required secrets that are not set', () => {
  const listed = JSON.stringify([{ name: 'OTHER', type: 'secret_text' }])
  expect(missingSecrets(['COOKIE_SECRET', 'OTHER'], listed)).toEqual(['COOKIE_SECRET'])
})

it('requires the same bindings in production as locally', async () => {
  const [local, production] = await Promise.all([requireConfig(), requireConfig('production')])
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
  expect(bindings(production)).toEqual(bindings(local))
})

it('deploys the office once it has a hostname, if it has Access and the shop’s database', async () => {
  const untouched = await requireConfig('production', OFFICE_CONFIG_FILE)
  expect(hasOffice(untouched)).toBe(false)
  const routes = [{ pattern: 'office.pamba.co.ke', custom_domain: true }]
  expect(hasOffice({ ...untouched, routes })).toBe(true)
  expect(findMissingOfficeSettings({ ...untouched, routes }, filledIn)).toEqual([
    'the id of CATALOGUE (as in wrangler.toml)',
    'the database_id (as in wrangler.toml)',
    'SITE_ORIGIN (as in wrangler.toml)',
    'OWNER_EMAIL',
    'ACCESS_TEAM',
    'ACCESS_AUDIENCE',
  ])
  const vars = {
    ...filledIn.vars,
    OWNER_EMAIL: 'achieng@pamba.co.ke',
    ACCESS_TEAM: 'pamba',
    ACCESS_AUDIENCE: 'ab'.repeat(32),
  }
  expect(findMissingOfficeSettings({ ...filledIn, routes, vars }, filledIn)).toEqual([])
})

it('checks that the shop responds and that the office refuses anonymous requests', () => {
  expect(findProblemOnline({ shopStatus: 200 })).toBeUndefined()
  expect(findProblemOnline({ shopStatus: 200, officeStatus: 302 })).toBeUndefined()
  expect(findProblemOnline({ shopStatus: 200, officeStatus: 403 })).toBeUndefined()
  expect(findProblemOnline({ shopStatus: 503 })).toContain('503')
  expect(findProblemOnline({ shopStatus: 200, officeStatus: 200 })).toContain('to an anonymous request')
})
