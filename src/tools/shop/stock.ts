import { readStock } from '#server/stock/read-stock.ts'
import { setStock } from '#server/stock/set-stock.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem } from '#shared/catalogue/items.ts'
import { formatNameWithSize } from '#shared/format.ts'
import { ToolError } from '../command.ts'
import { actor, type ShopCommand, toTable } from './shop-command.ts'

const MAX_UNITS = 1_000_000

export const listStockCommand: ShopCommand = {
  summary: 'stock of every item, fewest left first; items not listed are made to order',
  async run(_input, ctx) {
    const catalogue = await ctx.catalogue.load()
    const rows = [...(await readStock(ctx)).values()].map(({ itemId: id, onHand, reserved }) => ({
      ...{ id, onHand, reserved, left: onHand - reserved, name: formatName(id, catalogue) },
    }))
    return toTable(
      rows.toSorted((a, b) => a.left - b.left || a.id - b.id),
      { Item: 'id', Name: 'name', 'On hand': 'onHand', Reserved: 'reserved', Left: 'left' },
      'Everything is made to order.',
    )
  },
}

function formatName(id: number, catalogue: Catalogue): string {
  const item = findItem(catalogue, id)
  return item ? formatNameWithSize(item.product.title, item.size) : '(not in the catalogue)'
}

export const setStockCommand: ShopCommand = {
  usage: '<item> <units or to-order>',
  summary: "set an item's stock, including reserved units",
  async run({ positionals: [word = '', units = ''] }, ctx) {
    const catalogue = await ctx.catalogue.load()
    const itemId = /^\d{1,15}$/.test(word) ? Number(word) : undefined
    if (itemId === undefined || !findItem(catalogue, itemId))
      throw new ToolError(`Item ${word} doesn't exist. Each size has its own number; see Items.json.`)
    const onHand = units === 'to-order' ? null : Number(units)
    if (onHand !== null && (!/^\d+$/.test(units) || onHand > MAX_UNITS))
      throw new ToolError(`"${units}" isn't a stock count. Use 0 to ${MAX_UNITS}, or to-order.`)
    const set = await setStock({ itemId, onHand, actor }, ctx)
    const name = formatName(itemId, catalogue)
    if (!set.ok)
      throw new ToolError(
        set.error.code === 'count_changed'
          ? `The stock of ${name} just changed. Count it again.`
          : `We didn’t update the stock of ${name}: unpaid orders or exchanges have reserved ${set.error.reserved}. Please enter at least ${set.error.reserved}.`,
      )
    const text = onHand === null ? `${name} is made to order.` : `${name}: ${onHand} in stock.`
    return { text: `${text} Customers will see it within a minute.`, json: { id: itemId, name, onHand } }
  },
}
