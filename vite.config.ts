import { cloudflare } from '@cloudflare/vite-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { serviceWorker } from '#tools/vite/service-worker-plugin.ts'
import { generatedFilesPlugin } from './src/tools/pictures/generated-files.ts'
import { clientAssets, plainDynamicImports } from './src/tools/vite/client-assets.ts'
import { createEntryChunkGroup } from './src/tools/vite/entry-chunk.ts'
import { subsetFonts } from './src/tools/vite/subset-fonts.ts'
import { writeMiniflareOptions } from './src/tools/wrangler.ts'

// The code is minified, because a Worker parses all of its code at start-up. Function names stay, for stack traces
// in the log. Shared modules are one chunk, which compresses better than many small ones.
const workerBuild = {
  rolldownOptions: {
    output: {
      minify: { compress: true, mangle: { keepNames: true }, codegen: true },
      codeSplitting: { groups: [{ name: 'common', minShareCount: 3 }] },
    },
  },
}

/** `npm run dev` sets DEV_CONFIG (src/tools/dev.ts). */
const devConfig = JSON.parse(process.env.DEV_CONFIG ?? '{"shop":{},"office":{}}')

export default defineConfig({
  plugins: [
    react(),
    cloudflare({
      viteEnvironment: { name: 'server' },
      config: devConfig.shop,
      auxiliaryWorkers: [
        {
          configPath: 'src/office/wrangler.toml',
          viteEnvironment: { name: 'office' },
          config: devConfig.office,
        },
      ],
    }),
    clientAssets(),
    plainDynamicImports(),
    serviceWorker(),
    generatedFilesPlugin(),
    subsetFonts(),
  ],
  environments: {
    server: { build: workerBuild },
    office: { build: workerBuild },
    client: {
      build: {
        manifest: true,
        modulePreload: false,
        rolldownOptions: {
          input: ['src/client/start.ts', 'src/client/entry.tsx', 'src/client/styles/shop.css'],
          output: {
            // The entry contains the name of every file. Short hashes of hexadecimal digits compress best.
            hashCharacters: 'hex',
            chunkFileNames: 'assets/[name]-[hash:7].js',
            codeSplitting: { groups: [createEntryChunkGroup()], includeDependenciesRecursively: false },
            // V8 compiles the entry on a background thread instead of function by function during hydration.
            postBanner: ({ name }) => (name === 'entry' ? '//# allFunctionsCalledOnLoad' : ''),
          },
        },
      },
    },
  },
  builder: {
    // The client is built first, because the server's build reads its manifest.
    async buildApp(builder) {
      const { client, server, office } = builder.environments
      if (!client || !server || !office) throw new Error('The build needs client, server and office.')
      await builder.build(client)
      await builder.build(server)
      await builder.build(office)
      await writeMiniflareOptions()
    },
  },
})
