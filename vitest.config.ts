import { existsSync, statfsSync } from 'node:fs'
import path from 'node:path'
import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { esmExternalRequirePlugin } from 'vite'
import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { serviceWorker } from '#tools/vite/service-worker-plugin.ts'
import { clientAssets } from './src/tools/vite/client-assets.ts'
import { ProjectReporter } from './test/support/project-reporter.ts'

/** Temporary files go to memory if it has room, because local databases wait for the disk at each write. */
const MEMORY_FOLDER = '/dev/shm'
const MEMORY_BYTES = 2 ** 31
if (existsSync(MEMORY_FOLDER)) {
  const { bavail, bsize } = statfsSync(MEMORY_FOLDER)
  if (bavail * bsize > MEMORY_BYTES) process.env.TMPDIR = MEMORY_FOLDER
}

/**
 * Turns off V8's optimising compiler, because tests end before optimised code pays off, and makes garbage collection
 * rarer.
 */
process.env.MINIFLARE_WORKERD_V8_FLAGS ??= '--no-turbofan --single-threaded-gc --min-semi-space-size=64'

/** Prevents tests from timing out on a busy machine. */
const timeouts = { testTimeout: 120_000, hookTimeout: 120_000, expect: { poll: { timeout: 20_000 } } }

/**
 * Path prefixes in the order in which test files start. Files of a project are adjacent, because switching projects
 * restarts workerd or the browser. Tests that wait (kills, payments) overlap with busy ones, and long journeys start
 * early.
 */
const START_ORDER = [
  'test/kills/',
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

class StartOrderSequencer extends BaseSequencer {
  override async sort(files: TestSpecification[]) {
    const rank = ({ moduleId, project }: TestSpecification) => {
      const file = path.relative(project.config.root, moduleId)
      const index = START_ORDER.findIndex((prefix) => file.startsWith(prefix))
      return index === -1 ? START_ORDER.length : index
    }
    return (await super.sort(files)).toSorted((a, b) => rank(a) - rank(b))
  }
}

/**
 * Packages that the Worker and its tests import. They are bundled, because workerd loads the files of unbundled
 * packages one by one.
 */
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
    'hono/route',
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
    sequence: { sequencer: StartOrderSequencer },
    reporters: [new ProjectReporter()],
    silent: 'passed-only',
    slowTestThreshold: 10_000,
    // Tests in `kills` and `e2e` spend time waiting, so four workers pay off even on two cores.
    maxWorkers: 4,
    projects: [
      {
        plugins: [clientAssets()],
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: ['src/server/**', 'src/tools/**'],
          environment: 'node',
          isolate: false,
          ...timeouts,
        },
      },
      {
        // The tests use React's production build, as deployed, because its development build is slower.
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
          setupFiles: ['test/support/reset-database.ts'],
          // With isolation, each file would start workerd or reload its modules, which takes longer than most files'
          // tests.
          isolate: false,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'tools',
          include: ['src/tools/**/*.test.ts', 'test/{build,kills}/**/*.test.ts'],
          isolate: false,
          ...timeouts,
        },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/served-shop.ts'],
          // The journeys of a worker share a browser and a page.
          isolate: false,
          ...timeouts,
        },
      },
    ],
  },
})
