// `node src/tools/run.mjs start` installs missing packages and runs src/tools/start.ts with the project's own Node.
// This file is plain JavaScript, because it must run on Node 20.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const bin = path.join(root, 'node_modules/.bin')
const [tool, ...rest] = process.argv.slice(2)

/** npm writes node_modules/.package-lock.json last. */
function isInstalled() {
  const installed = path.join(root, 'node_modules/.package-lock.json')
  return (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(path.join(root, 'package-lock.json')).mtimeMs
  )
}

function findNodePath() {
  const own = path.join(bin, process.platform === 'win32' ? 'node.cmd' : 'node')
  if (existsSync(own)) return own
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath
  console.error(`This needs Node 22.18 or newer, but this machine has ${process.version}.`)
  process.exit(1)
}

if (!isInstalled()) {
  console.error('Installing packages…')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error('Installing packages failed; see above.')
    process.exit(1)
  }
}

const child = spawn(findNodePath(), [path.join(root, `src/tools/${tool}.ts`), ...rest], {
  cwd: root,
  // Through the ipc channel, the tool notices when this process exits.
  stdio: ['inherit', 'inherit', 'inherit', 'ipc'],
  env: {
    ...process.env,
    PATH: bin + path.delimiter + process.env.PATH,
    NODE_COMPILE_CACHE: path.join(root, 'node_modules/.cache/node'),
    WRANGLER_SEND_METRICS: 'false',
  },
})
const PARENT_CHECK_MS = 500
const parent = process.ppid
// The shell between npm and this process doesn't forward npm's exit, so the tool is killed once the parent has changed.
setInterval(() => process.ppid !== parent && child.kill(), PARENT_CHECK_MS).unref()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (status) => process.exit(status ?? 1))
