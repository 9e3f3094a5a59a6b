import type { Catalogue } from './catalogue.ts'

/** Keeps what is made of a catalogue, once for each key, for as long as the catalogue itself lives. */
export function perCatalogue<Made>() {
  const kept = new WeakMap<Catalogue, Map<string, Made>>()
  return (catalogue: Catalogue, key: string, make: () => Made): Made => {
    const known = kept.get(catalogue) ?? new Map<string, Made>()
    kept.set(catalogue, known)
    const made = known.get(key) ?? make()
    known.set(key, made)
    return made
  }
}
