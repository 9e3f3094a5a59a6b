import { asc, lte, type SQL, sql } from 'drizzle-orm'
import { latestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import type { CatalogueContext } from '#server/context.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { stock } from '#server/platform/db/schema.ts'
import { setStock as setUnits } from '#server/stock/set-stock.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { FEW_UNITS } from '#shared/catalogue/catalogue-stock.ts'
import { itemById } from '#shared/catalogue/items.ts'
import { nameWithSize } from '#shared/format.ts'
import catalogueFile from '../../../public/Items.json' with { type: 'json' }
import { ToolError } from '../command.ts'
import type { CommandOutput, ShopCommand } from './shop-command.ts'
import { table } from './table.ts'

const MAX_UNITS = 1_000_000

const readCatalogue = (context: CatalogueContext) =>
  latestCatalogue({ ...context, shop: { fetch: async () => Response.json(catalogueFile) } })
const left = sql<number>`${stock.onHand} - ${stock.held}`

export const listStock: ShopCommand = {
  usage: 'stock [list]',
  summary: 'stock of every item; items not listed are made to order',
  words: [0, 0],
  run: (_input, context) => listItems(context, undefined, 'Everything is made to order.'),
}

export const lowStock: ShopCommand = {
  usage: 'stock low',
  summary: `items with ${FEW_UNITS} units or fewer left`,
  words: [0, 0],
  run: (_input, context) => listItems(context, lte(left, FEW_UNITS), 'Nothing is running low.'),
}

async function listItems(
  context: CatalogueContext,
  condition: SQL | undefined,
  empty: string,
): Promise<CommandOutput> {
  const catalogue = await readCatalogue(context)
  const rows = await context.db
    .select({ id: stock.itemId, onHand: stock.onHand, held: stock.held, left: left.as('units_left') })
    .from(stock)
    .where(condition)
    .orderBy(asc(left), asc(stock.itemId))
  const items = rows.map((row) => ({ ...row, name: nameOf(row.id, catalogue) }))
  const text = table(
    items,
    {
      Item: ({ id }) => id,
      Name: ({ name }) => name,
      'On hand': ({ onHand }) => onHand,
      Reserved: ({ held }) => held,
      Left: ({ left }) => left,
    },
    empty,
  )
  return { text, json: items }
}

function nameOf(id: number, catalogue: Catalogue): string {
  const item = itemById(catalogue, id)
  return item ? nameWithSize(item.product.title, item.size) : '(not in the catalogue)'
}

export const setStock: ShopCommand = {
  usage: 'stock set <item> <units> | to-order',
  summary: "set an item's stock, including units reserved for unpaid orders",
  words: [2, 2],
  async run({ words: [word = '', units = ''] }, context) {
    const catalogue = await readCatalogue(context)
    const itemId = /^\d{1,15}$/.test(word) ? Number(word) : undefined
    if (!itemById(catalogue, itemId) || itemId === undefined)
      throw new ToolError(`No item ${word}. Each size has its own number; see Items.json.`)
    const onHand = units === 'to-order' ? null : Number(units)
    if (onHand !== null && (!/^\d+$/.test(units) || onHand > MAX_UNITS))
      throw new ToolError(`"${units}" isn't a stock count. Use 0 to ${MAX_UNITS}, or to-order.`)
    const set = await setUnits({ itemId, onHand, actor: COMMAND_LINE }, context)
    const name = nameOf(itemId, catalogue)
    if (!set.ok) {
      const { error } = set
      if (error.code === 'count_changed')
        throw new ToolError(`${name} was just sold or counted. Please count again.`)
      throw new ToolError(
        `Unpaid orders reserve ${error.held} of ${name}. Set at least that many, or wait until they are paid or expire.`,
      )
    }
    const text = onHand === null ? `${name} is made to order.` : `${name}: ${onHand} in stock.`
    return { text: `${text} Shoppers will see it within a minute.`, json: { id: itemId, name, onHand } }
  },
}
