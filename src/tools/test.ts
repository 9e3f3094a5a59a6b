import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { findJourneyBrowser } from '#test/support/journey-browser.ts'
import { build, checkCode, isOutdated } from './build.ts'
import { CHROMIUM_ADVICE, findChromium } from './chromium.ts'
import { runProgram, runTool, ToolError } from './command.ts'
import { ensureLocalSecrets, requireCatalogue } from './local-shop.ts'

const BUILD_INPUTS = [
  '{src/{client,office,server,shared},public}/**',
  '.dev.vars',
  'package-lock.json',
  'vite.config.ts',
  'wrangler.toml',
]
const BUILT_FILE = 'dist/server/wrangler.json'
const BUILD_PROJECTS = ['e2e', 'tools']

// `npm test` runs all checks and tests. `npm test -- --project unit cart` runs vitest with these arguments, building
// first if needed.
await runTool(async () => {
  const args = process.argv.slice(2)
  const isFull = args.length === 0
  const wantsBuild = isFull || includesBuildTests(args)
  if (wantsBuild && !findChromium()) {
    if (process.env.CI === 'true') throw new ToolError(`Chromium isn't installed. ${CHROMIUM_ADVICE}`)
    const skipped = findJourneyBrowser() ? 'browser tests of the back/forward cache' : 'browser tests'
    console.warn(`Skipping the ${skipped}: Chromium isn't installed. ${CHROMIUM_ADVICE}`)
  }
  requireCatalogue()
  ensureLocalSecrets()
  if (isFull) {
    console.log('Checking types, lint and unused code, and building…')
    await Promise.all([checkCode(), build()])
    console.log('Checks and build passed. Running tests…')
  } else if (wantsBuild && isBuildStale()) {
    console.log('Building…')
    await build()
  }
  await runProgram('vitest', ['run', ...args], 'Tests failed; see above.', { output: 'show' })
  const seconds = Math.round(performance.now() / 1000)
  console.log(`${isFull ? 'All checks and tests' : 'The selected tests'} passed in ${seconds} s.`)
})

/** If no project is named, Vitest runs all of them. */
function includesBuildTests(args: string[]): boolean {
  const options = { project: { type: 'string', multiple: true } } as const
  const { project = BUILD_PROJECTS } = parseArgs({ args, options, strict: false }).values
  return [project].flat().some((name) => BUILD_PROJECTS.includes(String(name)))
}

/** Also true for the production build that `npm run deploy` leaves. */
function isBuildStale(): boolean {
  if (isOutdated(BUILT_FILE, BUILD_INPUTS)) return true
  const { vars } = JSON.parse(readFileSync(BUILT_FILE, 'utf8')) as { vars?: { ENVIRONMENT?: string } }
  return vars?.ENVIRONMENT !== 'local'
}
