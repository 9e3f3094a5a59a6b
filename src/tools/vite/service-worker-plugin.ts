import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'vite'
import { FIRST_FONT } from './client-assets.ts'

type ServiceWorkerBuild = typeof import('virtual:service-worker').default['build']

const MODULE_ID = 'virtual:service-worker'
const RESOLVED_ID = `\0${MODULE_ID}`
const ENTRY = 'src/client/app/offline/service-worker.ts'

/**
 * Gives the server the service worker: `virtual:service-worker` is its script, bundled by itself as it shares nothing with
 * the app, and the browser's files, once the client is built. While developing there are none, which switches it off.
 */
export function serviceWorker({ testBuild = null }: { testBuild?: ServiceWorkerBuild } = {}): Plugin {
  let root = process.cwd()
  let isBuild = false
  return {
    name: 'pamba:service-worker',
    configResolved(config) {
      root = config.root
      isBuild = config.command === 'build'
    },
    resolveId: (id) => (id === MODULE_ID ? RESOLVED_ID : undefined),
    async load(id) {
      if (id !== RESOLVED_ID) return
      const files = { script: await bundle(root), build: isBuild ? builtFiles(root) : testBuild }
      return `export default ${JSON.stringify(files)}`
    },
  }
}

/** The service worker as one classic script: not every browser takes modules there. */
async function bundle(root: string): Promise<string> {
  const output = await build({
    root,
    configFile: false,
    envFile: false,
    publicDir: false,
    logLevel: 'error',
    build: {
      write: false,
      minify: true,
      rolldownOptions: { input: path.join(root, ENTRY), output: { format: 'iife' } },
    },
  })
  const [script] = [output].flat().flatMap((result) => ('output' in result ? result.output : []))
  if (script?.type !== 'chunk') throw new Error('The service worker cannot be bundled.')
  return script.code
}

/** Every script and style of the build, and the fonts of English pages. */
function builtFiles(root: string): ServiceWorkerBuild {
  const assets = readdirSync(path.join(root, 'dist/client/assets'))
    .map((file) => `/assets/${file}`)
    .filter((file) => /\.(js|css)$/.test(file) || FIRST_FONT.test(file))
    .sort()
  return { id: createHash('sha256').update(assets.join()).digest('hex').slice(0, 8), assets }
}
