import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { findChromium } from '#tools/chromium.ts'

const hasPackagedShell = process.platform === 'linux' && process.arch === 'x64'

export type JourneyBrowser = { executablePath: string; env?: Record<string, string> }

/**
 * On Linux x64, returns the packaged headless shell, which has no back/forward cache. Elsewhere, or if CHROMIUM_PATH is
 * set, returns the installed Chromium.
 */
export function findJourneyBrowser(): JourneyBrowser | undefined {
  const own = findChromium()
  if (process.env.CHROMIUM_PATH || !hasPackagedShell) return own ? { executablePath: own } : undefined
  const require = createRequire(import.meta.url)
  const folder = path.join(require.resolve('@sparticuz/chromium'), '../../bin')
  const read = (file: string) => brotliDecompressSync(readFileSync(path.join(folder, file)))
  const unpacked = path.join(folder, 'unpacked')
  if (!existsSync(unpacked)) {
    const unfinished = `${unpacked}.${process.pid}`
    mkdirSync(unfinished)
    for (const archive of ['al2023', 'fonts'])
      execFileSync('tar', ['-x', '-C', unfinished], { input: read(`${archive}.tar.br`) })
    writeFileSync(path.join(unfinished, 'chromium'), read('chromium.br'), { mode: 0o755 })
    // The font configuration in the package names folders of AWS Lambda.
    writeFileSync(path.join(unfinished, 'fonts.conf'), createFontConfiguration(path.join(unpacked, 'fonts')))
    try {
      renameSync(unfinished, unpacked)
    } catch (error) {
      // Another process may have unpacked it in the meantime.
      if (!existsSync(unpacked)) throw error
      rmSync(unfinished, { recursive: true })
    }
  }
  return {
    executablePath: path.join(unpacked, 'chromium'),
    env: { LD_LIBRARY_PATH: path.join(unpacked, 'lib'), FONTCONFIG_PATH: unpacked },
  }
}

const createFontConfiguration = (fonts: string) => `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig><dir>${fonts}</dir><cachedir>${fonts}-cache</cachedir></fontconfig>
`
