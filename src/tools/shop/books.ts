import { EXPORT_FORMATS, EXPORT_NAMES, exportText } from '#server/books/export.ts'
import { parseShopPeriod } from '#shared/time.ts'
import { ToolError } from '../command.ts'
import { choose, type ShopCommand } from './shop-command.ts'

export const exportBooks: ShopCommand = {
  takes: `<${EXPORT_NAMES.join('|')}> [--from today] [--to today] [--format csv|json]`,
  summary: 'export a period for the accountant',
  async run({ words: [word], options: { from = 'today', to = 'today', ...options } }, ctx) {
    const name = choose('table', word, EXPORT_NAMES) ?? 'orders'
    const format = choose('format', options.format, EXPORT_FORMATS) ?? 'csv'
    const period = parseShopPeriod(from, to, ctx.clock())
    if (!period)
      throw new ToolError(
        '--from and --to must be days such as 2026-11-21, the first no later than the second.',
      )
    const text = (await Array.fromAsync(exportText({ name, format, period }, ctx))).join('')
    return { text, json: format === 'json' ? JSON.parse(text) : text }
  },
}
