import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { EXPORT_FORMATS, EXPORT_NAMES, generateExport } from '#server/books/export.ts'
import { requestConfirmationUrlRegistration } from '#server/books/pull-incoming.ts'
import { parseShopPeriod } from '#shared/time.ts'
import { ToolError } from '../command.ts'
import { actor, parseChoice, type ShopCommand } from './shop-command.ts'

export const exportBooksCommand: ShopCommand = {
  usage: `<${EXPORT_NAMES.join('|')}> [--from today] [--to today] [--format csv|json] [--out file]`,
  summary: 'export a period for the accountant',
  async run({ positionals: [word], options: { from = 'today', to = 'today', out, ...options } }, ctx) {
    const name = parseChoice('table', word, EXPORT_NAMES) ?? 'orders'
    const format = parseChoice('format', options.format, EXPORT_FORMATS) ?? 'csv'
    const period = parseShopPeriod(from, to, ctx.clock())
    if (!period)
      throw new ToolError(
        '--from and --to must be days such as 2026-11-21, the first no later than the second.',
      )
    const texts = generateExport({ name, format, period }, ctx)
    if (out === undefined) {
      const text = (await Array.fromAsync(texts)).join('')
      return { text, json: format === 'json' ? JSON.parse(text) : text }
    }
    // The file is renamed once complete, so a failure leaves no incomplete file under the final name.
    const partial = `${out}.part`
    await pipeline(texts, createWriteStream(partial))
    await rename(partial, out)
    return { text: `Exported ${name} for ${period.name} to ${out}.`, json: { name, file: out } }
  },
}

export const registerIncomingCommand: ShopCommand = {
  summary: 'make M-Pesa notify the shop of payments to your till or paybill, on the next run',
  async run(_input, ctx) {
    await requestConfirmationUrlRegistration(actor, ctx)
    const text =
      'The shop will register with M-Pesa on its next run, within five minutes. See the result in the office under “Payments to assign”.'
    return { text, json: { requested: true } }
  },
}
