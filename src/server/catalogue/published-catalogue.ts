import * as z from 'zod/mini'
import {
  type Assets,
  type CatalogueFile,
  type CatalogueSource,
  parseCatalogueFile,
  readCatalogueFile,
} from './catalogue-source.ts'

/** How old the catalogue in memory gets before a request has the store asked for a newer version, in milliseconds. */
const REFRESH_MS = 15_000
/** How long a location of Cloudflare may answer from its own copy of the store: the least there is. */
const COPY_SECONDS = 30
/** How long a read of the store may take, in milliseconds; a cold isolate then begins with the file of the build. */
const TIMEOUT_MS = 1000

/** Where published versions are: a KV namespace. */
export type CatalogueStore = {
  get(key: string, options?: { cacheTtl: number }): Promise<string | null>
  put(key: string, value: string): Promise<void>
}

/** The key of the pointer to the version that shoppers see. */
export const POINTER_KEY = 'current'
/** What the pointer holds. */
export type Pointer = { number: number; hash: string }
const pointerSchema = z.object({ number: z.int(), hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)) })

/** The key of an immutable version, by the SHA-256 of its text. */
export function versionKey(hash: string): string {
  return `version:${hash}`
}

/** The published catalogue: the latest version, or the file of the build where nothing was published yet. */
export type PublishedCatalogue = CatalogueSource & {
  /** The file in memory; reads it like `load`. */
  file(): Promise<CatalogueFile>
  /** Has a newer version read in the background, if the last one was looked for long enough ago. */
  refresh(): void
}

/** A line of the log: the published catalogue could not be read, for the first time since it could. */
export type CatalogueLogLine = { level: 'error'; at: string; catalogue: 'not read'; reason: string }

type PublishedDeps = {
  store: Pick<CatalogueStore, 'get'>
  /** The static files of the build. */
  assets: Assets
  clock: () => number
  background: (work: Promise<unknown>) => void
  log: (line: CatalogueLogLine) => void
}

/**
 * Follows the pointer in the store. Only a cold isolate waits for it; afterwards a version replaces the one before once
 * it is whole and valid. While the store fails, the last version stays, and a cold isolate begins with the file.
 */
export function publishedCatalogue(
  { store, assets, clock, background, log }: PublishedDeps,
  timeoutMs = TIMEOUT_MS,
): PublishedCatalogue {
  let loaded: CatalogueFile | undefined
  let dueAtMs = 0
  let hasFailed = false

  /** The version that the pointer names; what is loaded where there is no pointer, or where it names just that. */
  async function readVersion(): Promise<CatalogueFile | undefined> {
    const options = { cacheTtl: COPY_SECONDS }
    const pointer = await store.get(POINTER_KEY, options)
    if (pointer === null) return loaded
    const { hash } = parsePointer(pointer)
    if (hash === loaded?.version) return loaded
    const text = await store.get(versionKey(hash), options)
    if (text === null) throw new Error(`Version ${hash} is missing.`)
    const file = await parseCatalogueFile(text)
    if (file.version !== hash) throw new Error(`Version ${hash} is damaged.`)
    return file
  }

  async function update(): Promise<void> {
    dueAtMs = clock() + REFRESH_MS
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error('KV didn’t respond.')), timeoutMs)
    try {
      const version = await Promise.race([readVersion(), timeout])
      if (version) loaded = version
      hasFailed = false
    } catch (error) {
      const reason = String(error instanceof Error ? error.message : error)
      const at = new Date(clock()).toISOString()
      if (!hasFailed) log({ level: 'error', at, catalogue: 'not read', reason })
      hasFailed = true
    } finally {
      clearTimeout(timer)
    }
  }

  /** Concurrent requests to a cold isolate each read: workerd ties a pending read to the request that started it. */
  async function file(): Promise<CatalogueFile> {
    if (!loaded) await update()
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
    refresh() {
      if (loaded && clock() >= dueAtMs) background(update())
    },
  }
}

/** A catalogue that stays what this text of an `Items.json` has. Throws an Error that names what is broken. */
export async function fixedCatalogue(text: string): Promise<PublishedCatalogue> {
  const file = await parseCatalogueFile(text)
  return {
    current: () => file.catalogue,
    version: () => file.version,
    load: async () => file.catalogue,
    file: async () => file,
    refresh() {},
  }
}

function parsePointer(text: string): Pointer {
  try {
    return pointerSchema.parse(JSON.parse(text))
  } catch {
    throw new Error('The pointer to the published version is malformed.')
  }
}
