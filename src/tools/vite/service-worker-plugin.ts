import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import { build, type Plugin } from 'vite'
import { FIRST_FONT } from './client-assets.ts'
import { virtualModule } from './virtual-module.ts'

type ServiceWorkerBuild = typeof import('virtual:service-worker').default['build']

const ENTRY = 'src/client/app/offline/service-worker.ts'

/** Provides `virtual:service-worker`: the bundled script and the files to cache. Without a build there are none, which disables it. */
export function serviceWorker({ testBuild = null }: { testBuild?: ServiceWorkerBuild } = {}): Plugin {
  return virtualModule('service-worker', async ({ root, isBuild }) => ({
    script: await bundleScript(root),
    build: isBuild ? readBuildFiles(root) : testBuild,
  }))
}

/** Bundles a classic script, because not every browser supports module service workers. */
async function bundleScript(root: string): Promise<string> {
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
  if (script?.type !== 'chunk') throw new Error("Couldn't bundle the service worker.")
  return script.code
}

function readBuildFiles(root: string): ServiceWorkerBuild {
  const assets = readdirSync(path.join(root, 'dist/client/assets'))
    .map((file) => `/assets/${file}`)
    .filter((file) => /\.(js|css)$/.test(file) || FIRST_FONT.test(file))
    .sort()
  return { id: createHash('sha256').update(assets.join()).digest('hex').slice(0, 8), assets }
}
