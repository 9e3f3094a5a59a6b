import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { build } from 'vite'

const NAIVE_PAGE = 'src/tools/measure/naive/page.tsx'
const NAIVE_WORKER = 'src/tools/measure/naive/worker.tsx'
const OF_THE_CONNECTION = ['content-length', 'transfer-encoding', 'connection', 'date']

/** Builds the naive page with the catalogue and images of a built shop: its Worker and its files; returns their folders. */
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
    build: {
      ssr: NAIVE_WORKER,
      outDir: server,
      minify: true,
      rolldownOptions: { output: { entryFileNames: 'index.js' } },
    },
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

/** Writes the least Worker there can be: the same bytes and headers for every request, and one log line. */
export async function writeLeast(workFolder: string, answer: Response): Promise<string> {
  const headers = [...answer.headers].filter(([name]) => !OF_THE_CONNECTION.includes(name))
  return writeWorker(
    path.join(workFolder, 'least'),
    `const bytes = new TextEncoder().encode(${JSON.stringify(await answer.text())})
const headers = new Headers(${JSON.stringify(headers)})
export default {
  fetch(request) {
    console.log(JSON.stringify({ level: 'info', at: Date.now(), method: request.method, path: '/products', status: 200, ms: 0 }))
    return new Response(bytes, { headers })
  },
}`,
  )
}

/** Writes an empty Worker, against which the start of the shop's is measured. */
export function writeEmpty(workFolder: string): string {
  return writeWorker(path.join(workFolder, 'empty'), 'export default { fetch: () => new Response() }')
}

function writeWorker(folder: string, text: string): string {
  mkdirSync(folder)
  writeFileSync(path.join(folder, 'index.js'), text)
  return folder
}
