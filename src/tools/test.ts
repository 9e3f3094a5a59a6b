import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { build, checkCode, requireCatalogue } from './build.ts'
import { CHROMIUM_ADVICE, chromiumPath, journeyBrowser } from './chromium.ts'
import { command, runTool, ToolError } from './command.ts'
import { ensureLocalSecrets } from './local-shop.ts'

/** What the build is made of. */
const BUILT_FROM = [
  '{src/{client,office,server,shared},public}/**',
  '.dev.vars',
  'package-lock.json',
  'vite.config.ts',
  'wrangler.toml',
]
const BUILT_FILE = 'dist/server/wrangler.json'
/** The projects of vitest.config.ts that test the build. */
const PROJECTS_OF_THE_BUILD = ['e2e', 'tools']

// `npm test`: types, lint and unused code beside the build, then unit, Workers-pool and browser tests; what follows a failure does not run.
// Arguments go to vitest, and then its tests alone run: `npm test -- --project unit cart`.
await runTool(async () => {
  const args = process.argv.slice(2)
  const isWhole = args.length === 0
  const wantsBuild = isWhole || mayTestBuild(args)
  if (wantsBuild && !chromiumPath()) {
    if (process.env.CI === 'true') throw new ToolError(`No Chromium is installed. ${CHROMIUM_ADVICE}`)
    const skipped = (await journeyBrowser())
      ? 'The journeys through the back/forward cache are'
      : 'The journeys are'
    console.warn(`${skipped} skipped: no Chromium is installed. ${CHROMIUM_ADVICE}`)
  }
  requireCatalogue()
  ensureLocalSecrets()
  if (isWhole) {
    console.log('Checking types, lint and unused code, and building …')
    await Promise.all([checkCode(), build()])
    console.log('The code and the build are fine. Testing …')
  } else if (wantsBuild && isBuildStale()) {
    console.log('Building …')
    await build()
  }
  await command('vitest', ['run', ...args], 'Tests failed; see above.', { output: 'show' })
  const seconds = Math.round(performance.now() / 1000)
  console.log(isWhole ? `Everything passed in ${seconds} s.` : `These tests passed in ${seconds} s.`)
})

/** Whether vitest's arguments may choose a test of the build; words that name no other folder may. */
function mayTestBuild(args: string[]): boolean {
  const projects = args.flatMap((arg, index) =>
    arg === '--project' ? (args[index + 1] ?? []) : arg.startsWith('--project=') ? arg.slice(10) : [],
  )
  if (projects.length > 0) return projects.some((project) => PROJECTS_OF_THE_BUILD.includes(project))
  const words = args.filter((arg) => !arg.startsWith('-'))
  return !(
    words.length > 0 && words.every((word) => /test\/http\/|src\/(client|office|server|shared)\//.test(word))
  )
}

/** Whether there is no build of the files as they are now for this machine: `npm run deploy` builds for production. */
function isBuildStale(): boolean {
  if (!existsSync(BUILT_FILE)) return true
  const { vars } = JSON.parse(readFileSync(BUILT_FILE, 'utf8')) as { vars?: { ENVIRONMENT?: string } }
  if (vars?.ENVIRONMENT !== 'local') return true
  const builtMs = statSync(BUILT_FILE).mtimeMs
  return globSync(BUILT_FROM).some((file) => statSync(file).mtimeMs > builtMs)
}
