import { createHash } from 'node:crypto'
import { readdirSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { bundleScript } from '../build.ts'
import { FIRST_FONT_PATTERN, virtualModule } from './client-assets.ts'

type ServiceWorkerBuild = typeof import('virtual:service-worker').default['build']

const ENTRY_FILE = 'src/client/app/offline/service-worker.ts'

/** Provides `virtual:service-worker`: the script and the files to cache, or nothing without a build. */
export function serviceWorker({ testBuild = null }: { testBuild?: ServiceWorkerBuild } = {}): Plugin {
  return virtualModule('service-worker', async ({ root, isBuild }) => ({
    script: await bundleScript('service worker', {
      ...{ root, envFile: false, publicDir: false },
      build: {
        minify: true,
        // The script is a classic one, because not every browser supports module service workers.
        rolldownOptions: { input: path.join(root, ENTRY_FILE), output: { format: 'iife' } },
      },
    }),
    build: isBuild ? readBuildFiles(root) : testBuild,
  }))
}

function readBuildFiles(root: string): ServiceWorkerBuild {
  const assets = readdirSync(path.join(root, 'dist/client/assets'))
    .map((file) => `/assets/${file}`)
    .filter((file) => /\.(js|css)$/.test(file) || FIRST_FONT_PATTERN.test(file))
    .sort()
  return { id: createHash('sha256').update(assets.join()).digest('hex').slice(0, 8), assets }
}
