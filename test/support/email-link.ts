import { readFileSync } from 'node:fs'
import path from 'node:path'
import { inject, vi } from 'vitest'
import { SHOP_LOG } from './shop-log.ts'

export function waitForEmailLink(email: string): Promise<string> {
  return vi.waitFor(
    () => {
      const printed = readFileSync(path.join(inject('stateFolder'), SHOP_LOG), 'utf8')
      const [, ...emails] = printed.split(`Email to ${email} `)
      const link = /^│ (https?:\/\/\S+)$/m.exec(emails.at(-1) ?? '')?.[1]
      if (!link) throw new Error(`No email with a link was sent to ${email}.`)
      return link
    },
    { timeout: 20_000, interval: 50 },
  )
}
