import { HTTPS_REQUIRED_ERROR } from '#server/platform/urls.ts'

/** Production sets these with `wrangler secret put`, because wrangler.toml is in the repository. */
export const SECRET_SETTINGS = [
  'COOKIE_SECRET',
  'COOKIE_SECRET_PREVIOUS',
  'IDENTITY_KEY',
  'TURNSTILE_SECRET_KEY',
  'MPESA_CONSUMER_KEY',
  'MPESA_CONSUMER_SECRET',
  'MPESA_PASSKEY',
  'MPESA_SECURITY_CREDENTIAL',
  'PAYSTACK_SECRET_KEY',
  'VAPID_KEYS',
] as const

const LOOPBACK_HOST_PATTERN = /^(localhost|.+\.localhost|127(\.\d+){3}|0\.0\.0\.0|\[::1?\]|\[::ffff:7f.*\])$/
const SANDBOX_HOST_PATTERN = /^sandbox\./
/** Safaricom's public test paybill. */
const SANDBOX_SHORTCODE = '174379'
/** The keys in wrangler.toml, which belong to the sandboxes that `npm start` runs. */
const REPOSITORY_KEY_PATTERN = /^(sandbox-.*|c2FuZGJveA==|sk_test_sandbox)$/
/** Turnstile's test keys: https://developers.cloudflare.com/turnstile/troubleshooting/testing/ */
const TURNSTILE_TEST_KEY_PATTERN = /^[123]x0{10,}[A-F]{2}$/
const PLACEHOLDER_PATTERN =
  /change|secret|example|placeholder|password|default|dummy|fill.?in|\byour\b|\btests?\b|(.)\1{5}/i
const MIN_SECRET_BITS = 80

/** If there are any problems, the shop and the office don't start, and `npm run deploy` stops. */
export function findProductionProblems(settings: Readonly<Record<string, unknown>>): string[] {
  const texts = Object.entries(settings).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  )
  const allowsSandbox = settings.ALLOW_SANDBOX_PAYMENTS === 'true'
  const problems = texts.flatMap(([name, value]) =>
    [
      ...value.split(/[,\s]+/).map(findAddressProblem),
      ...(allowsSandbox ? [] : [findSandboxProblem(name, value)]),
      findKeyProblem(value),
      name.startsWith('COOKIE_SECRET') ? findSecretProblem(value) : undefined,
    ].flatMap((problem) => (problem ? [`${name} ${problem}`] : [])),
  )
  return [...new Set(problems)]
}

function findAddressProblem(text: string): string | undefined {
  if (!/^https?:/i.test(text) || !URL.canParse(text)) return undefined
  const { protocol, hostname } = new URL(text)
  if (protocol === 'http:') return HTTPS_REQUIRED_ERROR
  return LOOPBACK_HOST_PATTERN.test(hostname) ? 'must not be a loopback address' : undefined
}

function findSandboxProblem(name: string, value: string): string | undefined {
  const isSandbox =
    value.startsWith('sk_test_') ||
    (name === 'MPESA_SHORTCODE' && value === SANDBOX_SHORTCODE) ||
    (/^https:/i.test(value) && URL.canParse(value) && SANDBOX_HOST_PATTERN.test(new URL(value).hostname))
  return isSandbox
    ? 'belongs to a sandbox: use live payments, or set ALLOW_SANDBOX_PAYMENTS = "true"'
    : undefined
}

function findKeyProblem(value: string): string | undefined {
  if (REPOSITORY_KEY_PATTERN.test(value)) return 'is a sandbox key published in this repository'
  return TURNSTILE_TEST_KEY_PATTERN.test(value) ? 'is a Turnstile test key' : undefined
}

function findSecretProblem(secret: string): string | undefined {
  if (PLACEHOLDER_PATTERN.test(secret))
    return 'is a placeholder: replace it with the output of openssl rand -base64 32'
  return estimateBits(secret) < MIN_SECRET_BITS
    ? 'is too easy to guess: replace it with the output of openssl rand -base64 32'
    : undefined
}

/** Repetitions, sequences and a small number of distinct characters lower the estimate. */
function estimateBits(secret: string): number {
  const codes = Array.from(secret, (character) => character.charCodeAt(0))
  const steps = codes.slice(1).map((code, index) => code - (codes[index] ?? 0))
  const pairs = new Set(steps.map((_, index) => secret.slice(index, index + 2)))
  return Math.min(calculateEntropy(codes), calculateEntropy(steps)) * pairs.size
}

/** Returns bits per value. */
function calculateEntropy(values: readonly number[]): number {
  const counts = new Map<number, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts.values()].reduce((bits, count) => {
    const share = count / values.length
    return bits - share * Math.log2(share)
  }, 0)
}
