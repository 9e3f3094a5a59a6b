import type { Plugin } from 'vite'

/** Provides `virtual:<name>`, whose default export is the JSON that `make` returns. */
export function virtualModule(
  name: string,
  make: (config: { root: string; isBuild: boolean }) => unknown,
): Plugin {
  const id = `virtual:${name}`
  let config = { root: process.cwd(), isBuild: false }
  return {
    name: `pamba:${name}`,
    configResolved({ root, command }) {
      config = { root, isBuild: command === 'build' }
    },
    resolveId: (source) => (source === id ? `\0${id}` : undefined),
    async load(resolved) {
      if (resolved === `\0${id}`) return `export default ${JSON.stringify(await make(config))}`
    },
  }
}
