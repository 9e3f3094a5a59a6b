import type { CatalogueSource } from './catalogue/source.ts'
import type { Database } from './db/client.ts'
import type { Config } from './env.ts'
import type { LogLine } from './middleware/log-line.ts'

/** Everything the app reads from the outside world. Tests hand in their own; nothing below reaches past it. */
export type Deps = {
  config: Config
  catalogue: CatalogueSource
  db: Database
  /** Milliseconds since the epoch. */
  clock: () => number
  /** Cryptographically random bytes. */
  randomBytes: (length: number) => Uint8Array<ArrayBuffer>
  /** The deployed version's id. */
  version: string
  log: (line: LogLine) => void
}
