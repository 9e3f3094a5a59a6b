import { createWriteStream } from 'node:fs'
import { rename } from 'node:fs/promises'
import { pipeline } from 'node:stream/promises'
import { EXPORT_FORMATS, EXPORT_NAMES, exportText } from '#server/books/export.ts'
import { requestRegistration } from '#server/books/pull-incoming.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { parseShopPeriod } from '#shared/time.ts'
import { ToolError } from '../command.ts'
import type { ShopCommand } from './shop-command.ts'

export const exportBooks: ShopCommand = {
  usage: `books <${EXPORT_NAMES.join('|')}> [--from today] [--to today] [--format csv|json] [--out file]`,
  summary: 'export a period for the accountant',
  words: [1, 1],
  options: {
    from: { type: 'string' },
    to: { type: 'string' },
    format: { type: 'string' },
    out: { type: 'string' },
  },
  async run({ words: [word], options: { from = 'today', to = 'today', format = 'csv', out } }, ctx) {
    const input = {
      name: EXPORT_NAMES.find((name) => name === word),
      format: EXPORT_FORMATS.find((name) => name === format),
      period: parseShopPeriod(from, to, ctx.clock()),
    }
    const { name, period } = input
    if (!name) throw new ToolError(`"${word}" can't be exported. Use one of: ${EXPORT_NAMES.join(', ')}.`)
    if (!input.format) throw new ToolError(`--format must be ${EXPORT_FORMATS.join(' or ')}.`)
    if (!period)
      throw new ToolError(
        '--from and --to must be days such as 2026-11-21, the first no later than the second.',
      )
    const texts = exportText({ name, format: input.format, period }, ctx)
    if (out === undefined) {
      const text = (await Array.fromAsync(texts)).join('')
      return { text, json: input.format === 'json' ? JSON.parse(text) : text }
    }
    // Renamed once complete, so a failure leaves no file under the final name.
    const partial = `${out}.part`
    await pipeline(texts, createWriteStream(partial))
    await rename(partial, out)
    return { text: `Exported ${name} of ${period.name} to ${out}.`, json: { name, file: out } }
  },
}

export const registerIncoming: ShopCommand = {
  usage: 'books register',
  summary: 'make M-Pesa notify the shop of payments to your till or paybill, at the next run',
  words: [0, 0],
  async run(_input, ctx) {
    await requestRegistration(COMMAND_LINE, ctx)
    const text =
      'The shop will register with M-Pesa at its next run, within five minutes. See the result in the office under “Payments to assign”.'
    return { text, json: { requested: true } }
  },
}
