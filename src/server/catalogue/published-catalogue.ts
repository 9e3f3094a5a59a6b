import * as z from 'zod/mini'
import {
  type Assets,
  type CatalogueFile,
  type CatalogueSource,
  parseCatalogueFile,
  readCatalogueFile,
} from './catalogue-source.ts'

const REFRESH_MS = 15_000
/** KV's minimum `cacheTtl`. */
const CACHE_TTL_SECONDS = 30
/** After this, a cold isolate starts with the file from the build. */
const TIMEOUT_MS = 1000

export type CatalogueStore = {
  get(key: string, options?: { cacheTtl: number }): Promise<string | null>
  put(key: string, value: string): Promise<void>
}

export const POINTER_KEY = 'current'
export type Pointer = { number: number; hash: string }
const pointerSchema = z.object({ number: z.int(), hash: z.string().check(z.regex(/^[0-9a-f]{64}$/)) })

export function versionKey(hash: string): string {
  return `version:${hash}`
}

export type PublishedCatalogue = CatalogueSource & {
  file(): Promise<CatalogueFile>
  refresh(): void
}

export type CatalogueLogLine = { level: 'error'; at: string; catalogue: 'load failed'; reason: string }

type PublishedCatalogueOptions = {
  store: Pick<CatalogueStore, 'get'>
  assets: Assets
  clock: () => number
  background: (work: Promise<unknown>) => void
  log: (line: CatalogueLogLine) => void
}

/**
 * Serves the version that KV's pointer names, or the file from the build. While KV fails, the current version
 * stays; only a cold isolate waits for a read.
 */
export function publishedCatalogue(
  { store, assets, clock, background, log }: PublishedCatalogueOptions,
  timeoutMs = TIMEOUT_MS,
): PublishedCatalogue {
  let loaded: CatalogueFile | undefined
  let refreshDueAtMs = 0
  let hasFailed = false

  async function readVersion(): Promise<CatalogueFile | undefined> {
    const options = { cacheTtl: CACHE_TTL_SECONDS }
    const pointer = await store.get(POINTER_KEY, options)
    if (pointer === null) return loaded
    const { hash } = parsePointer(pointer)
    if (hash === loaded?.version) return loaded
    const text = await store.get(versionKey(hash), options)
    if (text === null) throw new Error(`Version ${hash} is missing.`)
    const file = await parseCatalogueFile(text)
    if (file.version !== hash) throw new Error(`Version ${hash} is corrupted.`)
    return file
  }

  async function update(): Promise<void> {
    refreshDueAtMs = clock() + REFRESH_MS
    const { promise: timeout, reject } = Promise.withResolvers<never>()
    const timer = setTimeout(() => reject(new Error('KV didn’t respond.')), timeoutMs)
    try {
      const version = await Promise.race([readVersion(), timeout])
      if (version) loaded = version
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

  /** Concurrent requests each read: workerd ties a pending read to the request that started it. */
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
      if (loaded && clock() >= refreshDueAtMs) background(update())
    },
  }
}

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
