import { cpSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'

const NAIVE_PAGE = 'src/tools/measure/naive/page.tsx'
const NAIVE_WORKER = 'src/tools/measure/naive/worker.tsx'
const WORKER_OUTPUT = { entryFileNames: 'index.js' }
const CONNECTION_HEADERS = ['content-length', 'transfer-encoding', 'connection', 'date']

export async function buildNaive(root: string, workFolder: string, shopFolder: string) {
  const server = path.join(workFolder, 'naive-worker')
  const client = path.join(workFolder, 'naive-client')
  const shared = {
    root,
    configFile: false,
    logLevel: 'error',
    publicDir: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  } as const
  await build({
    ...shared,
    resolve: {
      alias: [{ find: /^.*\/Items\.json$/, replacement: path.join(shopFolder, 'Items.json') }],
      conditions: ['workerd', 'worker'],
    },
    ssr: { target: 'webworker', noExternal: true },
    build: { ssr: NAIVE_WORKER, outDir: server, minify: true, rolldownOptions: { output: WORKER_OUTPUT } },
  })
  await build({
    ...shared,
    build: {
      outDir: client,
      modulePreload: false,
      rolldownOptions: { input: NAIVE_PAGE, output: { entryFileNames: 'naive.js' } },
    },
  })
  for (const file of ['images', '_headers'])
    cpSync(path.join(shopFolder, file), path.join(client, file), { recursive: true })
  return { server, client }
}

export async function createMinimalWorker(response: Response): Promise<string> {
  const headers = [...response.headers].filter(([name]) => !CONNECTION_HEADERS.includes(name))
  return `const bytes = new TextEncoder().encode(${JSON.stringify(await response.text())})
const headers = new Headers(${JSON.stringify(headers)})
export default {
  fetch(request) {
    console.log(JSON.stringify({ level: 'info', at: Date.now(), method: request.method, path: '/products', status: 200, ms: 0 }))
    return new Response(bytes, { headers })
  },
}`
}
