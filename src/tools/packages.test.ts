import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

type LockedPackage = {
  license?: string
  dev?: boolean
  devOptional?: boolean
  optional?: boolean
  hasInstallScript?: boolean
}

const parseFile = (file: string) => JSON.parse(readFileSync(file, 'utf8'))
const { allowScripts } = parseFile('package.json') as { allowScripts: Record<string, boolean> }

const PERMISSIVE_LICENCES = [
  'MIT',
  'Apache-2.0',
  'ISC',
  'BSD-2-Clause',
  'BSD-3-Clause',
  'BlueOak-1.0.0',
  '0BSD',
  'Zlib',
  'CC0-1.0',
  'Python-2.0',
  'PSF-2.0',
]
const FONT_LICENCES = ['OFL-1.1']
/** These licences are acceptable for tools, because tools aren't distributed with the shop. */
const TOOL_LICENCES = ['MPL-2.0', 'LGPL-3.0-or-later']

describe.each(['package-lock.json', 'src/tools/measure/lighthouse/package-lock.json'])(
  'the packages of %s',
  (lockfile) => {
    const { packages } = parseFile(lockfile) as { packages: Record<string, LockedPackage> }
    const locked = Object.entries(packages).filter(([path]) => path !== '')
    const isToolPackage = ({ dev, devOptional, optional }: LockedPackage) =>
      lockfile !== 'package-lock.json' || dev || devOptional || optional

    it('have licences that allow their use', () => {
      const refused = locked.filter(([, { license = 'none', ...entry }]) => {
        const allowed = [
          ...PERMISSIVE_LICENCES,
          ...FONT_LICENCES,
          ...(isToolPackage(entry) ? TOOL_LICENCES : []),
        ]
        const parts = license.replace(/[()]/g, '').split(/ AND /)
        return !parts.every((part) => part.split(' OR ').some((name) => allowed.includes(name)))
      })
      expect(refused.map(([path, { license }]) => `${path}: ${license}`)).toEqual([])
    })

    it('run install scripts only where package.json allows them', () => {
      const scripted = locked.filter(([, { hasInstallScript }]) => hasInstallScript)
      const names = scripted.map(([path]) => path.replace(/^.*node_modules\//, ''))
      expect(names.filter((name) => !allowScripts[name])).toEqual([])
    })
  },
)
