import { execFileSync } from 'node:child_process'
import { createHash, X509Certificate } from 'node:crypto'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2'
import type { Socket } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import { freePort } from '../ports.ts'

/** About what an edge spends on compressing while a visitor waits. */
const BROTLI_QUALITY = 5
const COMPRESSED = /^(text\/|application\/(json|manifest|javascript)|image\/svg)/
/** The Worker answers it, although the build has a file of this name: `run_worker_first`. */
const CATALOGUE_FILE = '/Items.json'
/** Headers that HTTP/2 does not have. */
const OF_HTTP_1 = ['connection', 'keep-alive', 'transfer-encoding']
const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.woff2': 'font/woff2',
}

type Answer = { status: number; headers: Record<string, string | string[]>; body: Uint8Array }
export type Front = {
  url: string
  /** Lets Chromium trust the certificate, which it does not cache anything without. */
  chromiumArgument: string
  /** What all its connections have sent so far, with the cost of TLS and HTTP/2. */
  sentBytes: () => number
  close: () => Promise<void>
}

type FrontOptions = {
  /** Where the Worker answers. */
  workerUrl: string
  /** The built files, which answer before the Worker does. */
  clientFolder: string
  workFolder: string
  /** Takes all script out of the pages: what they cost by their markup, styles and images alone. */
  withoutScripts?: boolean
}

/** Serves the shop as production does: TLS, HTTP/2, brotli, the static files with the headers of `_headers`. */
export async function startFront(options: FrontOptions): Promise<Front> {
  const { key, cert } = certificate(options.workFolder)
  const files = new Map<string, Promise<Answer>>()
  const rules = headerRules(path.join(options.clientFolder, '_headers'))

  const answerTo = (request: Http2ServerRequest): Promise<Answer> => {
    const { pathname } = new URL(request.url, 'https://localhost')
    const file = path.join(options.clientFolder, decodeURIComponent(pathname))
    const isFile = pathname !== CATALOGUE_FILE && existsSync(file) && statSync(file).isFile()
    if (!isFile) return workerAnswer(options, request)
    const known = files.get(pathname) ?? compressed(fileAnswer(file, pathname, rules))
    files.set(pathname, known)
    return known
  }

  const server = createSecureServer({ key, cert }, (request, response) => {
    answerTo(request).then(
      (answer) =>
        send(isKnown(answer, request) ? { ...answer, status: 304, body: NO_BODY } : answer, response),
      (error: unknown) => {
        console.error(error)
        response.stream.close(constants.Z_DATA_ERROR)
      },
    )
  })
  const sockets: Socket[] = []
  server.on('connection', (socket: Socket) => sockets.push(socket))
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, 'localhost', resolve))
  const url = `https://localhost:${port}`
  const publicKey = new X509Certificate(cert).publicKey.export({ type: 'spki', format: 'der' })
  const hash = createHash('sha256').update(publicKey).digest('base64')
  return {
    url,
    chromiumArgument: `--ignore-certificate-errors-spki-list=${hash}`,
    sentBytes: () => sockets.reduce((total, { bytesWritten }) => total + bytesWritten, 0),
    close: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

const NO_BODY = new Uint8Array()

/** Whether the browser has this very answer. */
function isKnown({ status, headers }: Answer, request: Http2ServerRequest): boolean {
  return status === 200 && headers.etag !== undefined && headers.etag === request.headers['if-none-match']
}

function send({ status, headers, body }: Answer, response: Http2ServerResponse): void {
  response.writeHead(status, headers)
  response.end(body)
}

async function workerAnswer(
  { workerUrl, withoutScripts }: FrontOptions,
  request: Http2ServerRequest,
): Promise<Answer> {
  const headers = Object.entries(request.headers).filter(([name]) => !/^(:|accept-encoding|host$)/.test(name))
  const answer = await fetch(workerUrl + request.url, {
    method: request.method,
    headers: headers.map(([name, value]): [string, string] => [name, String(value)]),
    redirect: 'manual',
    ...(request.method === 'POST'
      ? { body: Buffer.concat(await Array.fromAsync(request.stream as AsyncIterable<Buffer>)) }
      : {}),
  })
  const bytes = Buffer.from(await answer.bytes())
  const body = withoutScripts
    ? Buffer.from(bytes.toString().replace(/<script type="module".*?<\/script>/g, ''))
    : bytes
  return compressed({
    status: answer.status,
    headers: Object.fromEntries([...answer.headers].filter(([name]) => !OF_HTTP_1.includes(name))),
    body,
  })
}

function fileAnswer(file: string, pathname: string, rules: HeaderRule[]): Answer {
  const headers = Object.assign(
    {
      'content-type': TYPES[path.extname(file)] ?? 'application/octet-stream',
      etag: `"${statSync(file).mtimeMs}"`,
    },
    ...rules.filter(({ pattern }) => pattern.test(pathname)).map((rule) => rule.headers),
  ) as Record<string, string>
  return { status: 200, headers, body: readFileSync(file) }
}

async function compressed(answer: Answer | Promise<Answer>): Promise<Answer> {
  const { status, headers, body } = await answer
  if (!COMPRESSED.test(String(headers['content-type'])) || body.byteLength === 0)
    return { status, headers, body }
  const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY }
  const smaller = await promisify(brotliCompress)(body, { params })
  const { 'content-length': _, ...rest } = headers
  return { status, headers: { ...rest, 'content-encoding': 'br' }, body: smaller }
}

type HeaderRule = { pattern: RegExp; headers: Record<string, string> }

/** The rules of a `_headers` file: a path with `*`, then its headers, indented. */
function headerRules(file: string): HeaderRule[] {
  const rules: HeaderRule[] = []
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const [, name, value] = /^\s+([\w-]+):\s*(.*)$/.exec(line) ?? []
    if (name && value) Object.assign(rules.at(-1)?.headers ?? {}, { [name.toLowerCase()]: value })
    else if (line.startsWith('/')) {
      const pattern = line
        .trim()
        .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
        .replaceAll('*', '.*')
      rules.push({ pattern: new RegExp(`^${pattern}$`), headers: {} })
    }
  }
  return rules
}

/** A certificate for this machine and this run, which only the measuring browser is told to accept. */
function certificate(workFolder: string): { key: Buffer; cert: Buffer } {
  const key = path.join(workFolder, 'front.key')
  const cert = path.join(workFolder, 'front.pem')
  if (!existsSync(cert)) {
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
    const name = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2']
    execFileSync('openssl', ['req', '-x509', ...curve, ...name, '-keyout', key, '-out', cert], {
      stdio: 'ignore',
    })
  }
  return { key: readFileSync(key), cert: readFileSync(cert) }
}
