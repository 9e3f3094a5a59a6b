import { cloudflareTest, readD1Migrations } from '@cloudflare/vitest-plugin'
import { defineConfig } from 'vitest/config'
import { clientAssets } from './src/tools/vite/client-assets.ts'

export default defineConfig({
  test: {
    // Browser tests wait more than they compute: two at once also where there are only two cores.
    maxWorkers: 2,
    projects: [
      {
        plugins: [clientAssets()],
        test: {
          name: 'unit',
          include: ['src/**/*.test.{ts,tsx}'],
          exclude: ['src/server/**', 'src/tools/**'],
          environment: 'node',
        },
      },
      {
        plugins: [
          clientAssets(),
          cloudflareTest(async () => ({
            wrangler: { configPath: './wrangler.toml' },
            miniflare: {
              bindings: {
                COOKIE_SECRET: 'a-secret-for-tests-alone-0123456789abcdef',
                TEST_MIGRATIONS: await readD1Migrations('migrations'),
              },
            },
          })),
        ],
        test: {
          name: 'http',
          include: ['test/http/**/*.test.{ts,tsx}', 'src/server/**/*.test.{ts,tsx}'],
          setupFiles: ['test/support/migrate.ts'],
        },
      },
      {
        test: {
          name: 'tools',
          include: ['src/tools/**/*.test.ts'],
          // Most of these start a program that starts another.
          testTimeout: 60_000,
        },
      },
      {
        test: { name: 'build', include: ['test/build/**/*.test.ts'], testTimeout: 20_000 },
      },
      {
        test: {
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts'],
          globalSetup: ['test/support/served-shop.ts'],
          testTimeout: 20_000,
          hookTimeout: 60_000,
        },
      },
    ],
  },
})
