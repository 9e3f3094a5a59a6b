import path from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { esmExternalRequirePlugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { ProjectReporter } from './src/tools/test-report.ts'
import { clientAssets } from './src/tools/vite/client-assets.ts'
import { serviceWorker } from './src/tools/vite/service-worker.ts'

/** For a test, and for what it needs before: a busy machine is slow, and no failure. */
const patience = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } }

/**
 * What begins first: the kills, which mostly wait, and all tests of the Worker beside them; then the journeys, the longest
 * first, as one begun last would be all that still runs. A worker whose next file is of another project ends, and with it
 * its workerd or browser: each project is in one piece. The journeys that wait for a payment are apart: together, they
 * would leave a processor idle.
 */
const ORDER = [
  'src/tools/measure/kills',
  'test/http/',
  'src/server/',
  'src/tools/',
  'test/build/',
  'src/',
  'test/e2e/pages-and-states',
  'test/e2e/other-browsers',
  'test/e2e/payment',
  'test/e2e/layout-shift',
  'test/e2e/office',
  'test/e2e/service-worker',
  'test/e2e/order',
]

class InOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const file = path.relative(project.config.root, moduleId)
      const index = ORDER.findIndex((start) => file.startsWith(start))
      return index === -1 ? ORDER.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

/** What the Worker and its tests import of packages, in a few modules: workerd would load their hundreds of files one by one. */
const bundledPackages = {
  enabled: true,
  include: [
    '@hono/zod-validator',
    'drizzle-orm',
    'drizzle-orm/batch',
    'drizzle-orm/d1',
    'drizzle-orm/sqlite-core',
    'fast-check',
    'hono',
    'hono/body-limit',
    'hono/cookie',
    'hono/factory',
    'hono/http-exception',
    'hono/router',
    'jose',
    'jotai',
    'minisearch',
    'react-dom',
    'react-dom/server.node',
    'react-hot-toast/headless',
    'zod/mini',
  ],
  rolldownOptions: {
    output: { minify: true },
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    plugins: [esmExternalRequirePlugin({ external: ['async_hooks', 'crypto', 'stream', 'util'] })],
  },
}

export default defineConfig({
  test: {
    sequence: { sequencer: InOrder },
    reporters: [new ProjectReporter()],
    silent: 'passed-only',
    slowTestThreshold: 10_000,
    // Some of it waits, as the kills and the journeys do: three at once also where there are only two cores.
    maxWorkers: 3,
    projects: [
      {
        plugins: [clientAssets()],
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: ['src/server/**', 'src/tools/**'],
          environment: 'node',
          isolate: false,
          ...patience,
        },
      },
      {
        // React as it is deployed: its development build takes longer, and its warnings show in `npm run dev`.
        oxc: { jsx: { runtime: 'automatic', development: false } },
        plugins: [
          clientAssets(),
          serviceWorker({ testBuild: { id: 'tested', assets: ['/assets/entry-tested.js'] } }),
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                COOKIE_SECRET: 'a-secret-for-tests-alone-0123456789abcdef',
                TEST_MIGRATIONS: await readD1Migrations('migrations'),
                ...(process.env.ORDERS ? { ORDERS: process.env.ORDERS } : {}),
              },
            },
          })),
        ],
        test: {
          name: 'http',
          env: { NODE_ENV: 'production' },
          deps: { optimizer: { ssr: bundledPackages } },
          include: ['test/http/**/*.test.{ts,tsx}', 'src/server/**/*.test.{ts,tsx}'],
          setupFiles: ['test/support/own-start.ts'],
          // Starting a workerd, or loading the modules again, costs more than most files' tests.
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'tools',
          include: ['src/tools/**/*.test.ts', 'test/build/**/*.test.ts'],
          isolate: false,
          ...patience,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/served-shop.ts'],
          // The journeys of a worker share its browser and its page.
          isolate: false,
          ...patience,
        },
      },
    ],
  },
})
