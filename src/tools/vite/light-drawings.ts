import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import type { Plugin } from 'vite'
import { lightAddress } from '#shared/rules/catalogue-views.ts'
import { lightDrawing } from './light-drawing.ts'

/** Puts a lighter twin beside each large drawing of `public`, for visitors who save data; made on request while developing. */
export function lightDrawings(): Plugin {
  let folder = 'public'
  const twinOf = (file: string) => lightDrawing(readFileSync(path.join(folder, file), 'utf8'))
  const drawings = () =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .map((file) => file.replaceAll(path.sep, '/'))
      .filter((file) => lightAddress(file) !== file)

  return {
    name: 'pamba:light-drawings',
    applyToEnvironment: ({ name }) => name === 'client',
    configResolved({ publicDir }) {
      folder = publicDir
    },
    generateBundle() {
      for (const file of drawings()) {
        this.emitFile({ type: 'asset', fileName: lightAddress(file), source: twinOf(file) })
      }
    },
    configureServer({ middlewares }) {
      middlewares.use((request, response, next) => {
        const file = drawings().find((drawing) => request.url === `/${lightAddress(drawing)}`)
        if (!file) return next()
        response.setHeader('Content-Type', 'image/svg+xml')
        response.end(twinOf(file))
      })
    },
  }
}
