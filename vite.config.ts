import { cloudflare } from '@cloudflare/vite-plugin'
import react from '@vitejs/plugin-react'
import { defineConfig } from 'vite'
import { serviceWorker } from '#tools/vite/service-worker-plugin.ts'
import { generatedFilesPlugin } from './src/tools/pictures/generated-files.ts'
import { clientAssets } from './src/tools/vite/client-assets.ts'
import { entryChunk } from './src/tools/vite/entry-chunk.ts'
import { subsetFonts } from './src/tools/vite/subset-fonts.ts'
import { writeMiniflareOptions } from './src/tools/wrangler.ts'

// Minified because a Worker parses all of its code at start-up. Function names are kept for stack traces in the log.
const workerBuild = {
  rolldownOptions: { output: { minify: { compress: true, mangle: { keepNames: true }, codegen: true } } },
}

/** What `npm run dev` sets beyond the wrangler.toml files: entry point, office, the addresses of this run. */
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
            // The entry lists every file, and hex digits compress better than base64.
            hashCharacters: 'hex',
            codeSplitting: { groups: [entryChunk()], includeDependenciesRecursively: false },
          },
        },
      },
    },
  },
  builder: {
    // The server's build reads the client's manifest.
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
