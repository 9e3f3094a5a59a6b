import { resolveConfig } from 'vite'
import { expect, it } from 'vitest'
import { plainImports } from './entry-chunk.ts'

it.each(['build', 'serve'] as const)('vite %s leaves imports as they are', async (command) => {
  const { plugins } = await resolveConfig({ configFile: false, plugins: [plainImports()] }, command)
  expect(plugins.map(({ name }) => name)).not.toContain('native:import-analysis-build')
})
