import { parseArgs } from 'node:util'
import { shop, shopProfile } from '#shared/shop.ts'
import { build, checkCode } from './build.ts'
import { runProgram, runTool, ToolError } from './command.ts'
import {
  findDeployProblems,
  getOfficeOrigin,
  listMissingSecrets,
  listRequiredSecrets,
} from './deploy-checks.ts'
import { requireCatalogue } from './local-shop.ts'
import { CONFIG_FILE, OFFICE_CONFIG_FILE, requireConfig, runWrangler, type ShopConfig } from './wrangler.ts'

const PRODUCTION_ARGS = ['--config', CONFIG_FILE, '--env', 'production']
const BUILT_OFFICE_ARGS = ['--config', 'dist/office/wrangler.json']

function parseFlags() {
  try {
    return parseArgs({ options: { 'dry-run': { type: 'boolean' }, force: { type: 'boolean' } } }).values
  } catch {
    throw new ToolError('Unknown option. Use npm run deploy -- --dry-run or npm run deploy -- --force.')
  }
}

async function findUncommittedProblems(): Promise<string[]> {
  const changes = await runProgram(
    'git',
    ['status', '--porcelain'],
    "This isn't a git checkout: clone the repository, then deploy from the clone.",
    { output: 'on-failure' },
  )
  return changes
    ? ['There are uncommitted changes: commit them, or deploy anyway with npm run deploy -- --force']
    : []
}

async function findMissingSecretProblems(config: ShopConfig): Promise<string[]> {
  const listed = await runWrangler(
    ['secret', 'list', '--format', 'json', ...PRODUCTION_ARGS],
    () =>
      "Couldn't list your account's secrets: log in with npx wrangler login, then run npx wrangler secret put COOKIE_SECRET --env production",
  )
  return listMissingSecrets(listRequiredSecrets(config), listed).map(
    (name) => `${name} isn't set: run npx wrangler secret put ${name} --env production`,
  )
}

async function requireBuckets({ r2_buckets }: ShopConfig): Promise<string[]> {
  for (const { bucket_name = '' } of r2_buckets)
    await runWrangler(
      ['r2', 'bucket', 'info', bucket_name],
      () => `The photo bucket doesn't exist yet: run npx wrangler r2 bucket create ${bucket_name}`,
    )
  return []
}

function toProblems(error: unknown): string[] {
  if (error instanceof ToolError) return [error.message]
  throw error
}

const NO_RESPONSE = 0

type Statuses = { shopStatus: number; officeStatus: number }

export function findOnlineProblem({ shopStatus, officeStatus }: Statuses): string | undefined {
  if (shopStatus !== 200)
    return `The shop was deployed, but its health check ${describeStatus(shopStatus)}. If it's 503, the log names the setting that's missing or wrong: npx wrangler tail --env production.`
  // Access redirects to its login page; without Access the office itself returns 403.
  if (![302, 403].includes(officeStatus))
    return `The office was deployed, but an anonymous request ${describeStatus(officeStatus)} instead of 403 or the login page.`
  return
}

function describeStatus(status: number): string {
  return status === NO_RESPONSE ? 'got no response' : `returned ${status}`
}

async function fetchStatus(url: string): Promise<number> {
  return fetch(url, { redirect: 'manual' }).then(
    ({ status }) => status,
    () => NO_RESPONSE,
  )
}

// `npm run deploy` checks, builds, migrates production and deploys. `--dry-run` checks and builds without an account;
// `--force` allows uncommitted changes.
if (import.meta.main) {
  await runTool(async () => {
    const { 'dry-run': isDryRun, force } = parseFlags()
    const config = await requireConfig('production')
    const office = await requireConfig('production', OFFICE_CONFIG_FILE)
    requireCatalogue()
    const problems = findDeployProblems({ config, office, identity: { ...shop, ...shopProfile } })
    if (!isDryRun) {
      if (!force) problems.unshift(...(await findUncommittedProblems().catch(toProblems)))
      problems.push(...(await findMissingSecretProblems(config).catch(toProblems)))
      problems.push(...(await requireBuckets(config).catch(toProblems)))
    }
    if (problems.length > 0)
      throw new ToolError(['Nothing was deployed. Fix these problems first:', ...problems].join('\n- '))
    if (!isDryRun) {
      console.log('Checking types and lint…')
      await checkCode()
    }

    console.log('Building for production…')
    await build('production')
    if (isDryRun) {
      for (const [name, built] of [['The shop', []] as const, ['The office', BUILT_OFFICE_ARGS] as const]) {
        const dryRun = ['deploy', '--dry-run', ...built]
        const report = await runWrangler(dryRun, `${name} can't be deployed; see above.`)
        console.log(`${name}: ${/^Total Upload:.*$/m.exec(report)?.[0] ?? report}`)
      }
      console.log(`Secrets that must be set: ${listRequiredSecrets(config).join(', ')}`)
      return
    }

    console.log('Migrating the production database…')
    await runWrangler(
      ['d1', 'migrations', 'apply', 'DB', '--remote', ...PRODUCTION_ARGS],
      'Migrating the production database failed, so nothing was deployed; see above.',
    )
    console.log('Deploying…')
    await runWrangler(['deploy'], "The Worker wasn't deployed; see above.", 'show')
    await runWrangler(
      ['deploy', ...BUILT_OFFICE_ARGS],
      "The shop was deployed, but the office wasn't; see above.",
      'show',
    )
    const health = `${config.vars.SITE_ORIGIN}/api/health`
    const problem = findOnlineProblem({
      shopStatus: await fetchStatus(health),
      officeStatus: await fetchStatus(getOfficeOrigin(office)),
    })
    if (problem) throw new ToolError(`${problem} A new domain can take a few minutes to start working.`)
    console.log(`Deployed. Health check: ${health}\nThe office: ${getOfficeOrigin(office)}`)
  })
}
