// Runs one of the tools beside this file (`node src/tools/run.mjs start`) on a machine that has only Node 20 and
// npm: installs what package-lock.json names and node_modules lacks, then hands over to the project's own Node.
// Plain JavaScript, because the Node that starts it may not know TypeScript.
import { spawn, spawnSync } from 'node:child_process'
import { existsSync, statSync } from 'node:fs'
import path from 'node:path'
import { fileURLToPath } from 'node:url'

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '../..')
const bin = path.join(root, 'node_modules/.bin')
const [tool, ...rest] = process.argv.slice(2)

/** node_modules is as old as its own lockfile copy, which npm writes last. */
function isInstalled() {
  const installed = path.join(root, 'node_modules/.package-lock.json')
  return (
    existsSync(installed) &&
    statSync(installed).mtimeMs >= statSync(path.join(root, 'package-lock.json')).mtimeMs
  )
}

/** The project's own Node, or the one running this where npm has none for this machine. */
function nodePath() {
  const own = path.join(bin, process.platform === 'win32' ? 'node.cmd' : 'node')
  if (existsSync(own)) return own
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 22 || (major === 22 && minor >= 18)) return process.execPath
  console.error(`Pamba needs Node 22.18 or newer on this kind of machine; this is ${process.version}.`)
  process.exit(1)
}

if (!isInstalled()) {
  console.error('Installing packages …')
  const { status } = spawnSync('npm', ['ci', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (status !== 0) {
    console.error('npm could not install the packages; its message is above.')
    process.exit(1)
  }
}

const child = spawn(nodePath(), [path.join(root, `src/tools/${tool}.ts`), ...rest], {
  cwd: root,
  // The fourth channel tells the tool when this process is gone, however it went.
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
// npm does not pass its own end on to the shell in between, so an orphan ends itself.
setInterval(() => process.ppid !== parent && child.kill(), PARENT_CHECK_MS).unref()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
child.on('exit', (status) => process.exit(status ?? 1))
