import * as z from 'zod/mini'
import { sha256Hex } from '#server/platform/crypto.ts'
import {
  type Assets,
  type CatalogueFile,
  type CatalogueSource,
  parseCatalogueFile,
  readCatalogueFile,
} from './catalogue-source.ts'

const REFRESH_MS = 15_000
/**
 * How long {@link PublishedCatalogue.show} ignores older pointers. `cacheTtl` must not be longer, or an older pointer
 * could come from KV's cache.
 */
const IGNORE_OLDER_POINTERS_MS = 60_000
/** `cacheTtl` is in seconds, and KV allows no shorter time. */
const KV_OPTIONS = { cacheTtl: 30 }
/** On a timeout, an isolate keeps the version that it has loaded, or else starts with the file from the build. */
const TIMEOUT_MS = 1000

export type CatalogueStore = {
  get(key: string, options?: { cacheTtl: number }): Promise<string | null>
  put(key: string, value: string): Promise<void>
}

export const POINTER_KEY = 'current'
const hashSchema = z.string().check(z.regex(/^[0-9a-f]{64}$/))
/** `hash` identifies the products, and `content` the shop's texts. Without `content`, the default texts apply. */
const pointerSchema = z.object({ number: z.int(), hash: hashSchema, content: z.optional(hashSchema) })
export type Pointer = z.infer<typeof pointerSchema>

export function getVersionKey(hash: string): string {
  return `version:${hash}`
}

export function getContentKey(hash: string): string {
  return `content:${hash}`
}

/** `text` is JSON, or null for the default content. */
export type PublishedText = { hash: string; text: string | null }
export const DEFAULT_CONTENT_TEXT: PublishedText = { hash: 'default', text: null }

export type PublishedCatalogue = CatalogueSource & {
  file(): Promise<CatalogueFile>
  content(): PublishedText
  /** Returns the loaded content, or else loads it without the products. Returns the default if KV fails. */
  loadContent(): Promise<PublishedText>
  refresh(): void
  /**
   * Loads this version immediately. For `IGNORE_OLDER_POINTERS_MS`, older pointers that KV has cached don't replace it.
   */
  show(pointer: Pointer): Promise<void>
}

export type CatalogueLogLine = { level: 'error'; at: string; catalogue: 'load failed'; reason: string }

type PublishedCatalogueOptions = {
  store: Pick<CatalogueStore, 'get'>
  assets: Assets
  clock: () => number
  waitUntil: (work: Promise<unknown>) => void
  log: (line: CatalogueLogLine) => void
}

/** If KV fails, serves the loaded version or else the build's file. */
export function createPublishedCatalogue(
  { store, assets, clock, waitUntil, log }: PublishedCatalogueOptions,
  timeoutMs = TIMEOUT_MS,
): PublishedCatalogue {
  let loaded: CatalogueFile | undefined
  let content: PublishedText | undefined
  let refreshDueAtMs = 0
  let hasFailed = false
  let shown: { number: number; untilMs: number } | undefined

  async function readPointer(): Promise<Pointer | undefined> {
    const pointer = await store.get(POINTER_KEY, KV_OPTIONS)
    return pointer === null ? undefined : parsePointer(pointer)
  }

  async function readFile({ hash }: Pointer): Promise<CatalogueFile> {
    if (hash === loaded?.version) return loaded
    const text = await store.get(getVersionKey(hash), KV_OPTIONS)
    if (text === null) throw new Error(`Version ${hash} is missing.`)
    const file = await parseCatalogueFile(text)
    if (file.version !== hash) throw new Error(`Version ${hash} is corrupted.`)
    return file
  }

  async function readContent({ content: hash }: Pointer): Promise<PublishedText> {
    if (hash === undefined) return DEFAULT_CONTENT_TEXT
    if (hash === content?.hash) return content
    const text = await store.get(getContentKey(hash), KV_OPTIONS)
    if (text === null) throw new Error(`Content ${hash} is missing.`)
    if ((await sha256Hex(text)) !== hash) throw new Error(`Content ${hash} is corrupted.`)
    return { hash, text }
  }

  async function readVersion(): Promise<void> {
    const pointer = await readPointer()
    if (!pointer || (shown && clock() < shown.untilMs && pointer.number < shown.number)) return
    await load(pointer)
  }

  async function load(pointer: Pointer): Promise<void> {
    const [newFile, newContent] = await Promise.all([readFile(pointer), readContent(pointer)])
    loaded = newFile
    content = newContent
  }

  async function readContentOnly(): Promise<void> {
    const pointer = await readPointer()
    content = pointer ? await readContent(pointer) : DEFAULT_CONTENT_TEXT
  }

  async function tryRead(read: () => Promise<void>): Promise<void> {
    refreshDueAtMs = clock() + REFRESH_MS
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error('KV didn’t respond.')), timeoutMs)
    try {
      await Promise.race([read(), timeout])
      hasFailed = false
    } catch (error) {
      const reason = String(error instanceof Error ? error.message : error)
      const at = new Date(clock()).toISOString()
      if (!hasFailed) log({ level: 'error', at, catalogue: 'load failed', reason })
      hasFailed = true
    } finally {
      clearTimeout(timer)
    }
  }

  /** Concurrent requests don't share a read, because workerd binds a pending read to the request that started it. */
  async function file(): Promise<CatalogueFile> {
    if (!loaded) await tryRead(readVersion)
    if (loaded) return loaded
    const fromBuild = await readCatalogueFile(assets)
    loaded ??= fromBuild
    return loaded
  }

  return {
    current: () => loaded?.catalogue,
    version: () => loaded?.version,
    load: async () => (await file()).catalogue,
    file,
    content: () => content ?? DEFAULT_CONTENT_TEXT,
    async loadContent() {
      if (!content) await tryRead(readContentOnly)
      content ??= DEFAULT_CONTENT_TEXT
      return content
    },
    refresh() {
      if ((loaded || content) && clock() >= refreshDueAtMs) waitUntil(tryRead(readVersion))
    },
    show(pointer) {
      shown = { number: pointer.number, untilMs: clock() + IGNORE_OLDER_POINTERS_MS }
      return tryRead(() => load(pointer))
    },
  }
}

export async function createFixedCatalogue(
  items: string,
  text: string | null = null,
): Promise<PublishedCatalogue> {
  const file = await parseCatalogueFile(items)
  const content = text === null ? DEFAULT_CONTENT_TEXT : { hash: await sha256Hex(text), text }
  return {
    current: () => file.catalogue,
    version: () => file.version,
    load: async () => file.catalogue,
    file: async () => file,
    content: () => content,
    loadContent: async () => content,
    refresh() {},
    show: async () => {},
  }
}

function parsePointer(text: string): Pointer {
  try {
    return pointerSchema.parse(JSON.parse(text))
  } catch {
    throw new Error('The pointer to the published version is malformed.')
  }
}
