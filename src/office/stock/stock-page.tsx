import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { createItemMatcher, formatItemName } from '#office/catalogue/item-name.ts'
import { MAX_STOCK_UNITS, STOCK_MESSAGE } from '#office/catalogue/product-fields.ts'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm } from '#office/platform/form.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { Permitted } from '#office/platform/permitted.tsx'
import { SearchForm } from '#office/platform/search-form.tsx'
import { RESERVATIONS_PATH } from '#office/platform/sections.ts'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { readStock } from '#server/stock/read-stock.ts'
import { type SetStockError, setStock } from '#server/stock/set-stock.ts'
import { LOW_STOCK_UNITS } from '#shared/catalogue/catalogue-stock.ts'
import { findItem } from '#shared/catalogue/items.ts'

const stockFormSchema = z.object({
  item: z.string().check(z.regex(/^\d{1,15}$/)),
  units: z.string(),
  /** The count when the page was opened, or empty if the item was made to order. */
  seen: z.string().check(z.regex(/^\d{0,7}$/)),
})

type EnteredCount = { itemId: number; units: string }

type StockItem = {
  id: number
  name: string
  onHand: number | null
  reserved: number
  available: number | null
}

export function stockRoutes(ctx: OfficeContext) {
  async function show(
    c: Context<OfficeEnv>,
    notice: { notice?: string; isError?: boolean } = {},
    entered?: EnteredCount,
  ) {
    const query = (c.req.query('q') ?? '').trim().toLowerCase()
    const matches = createItemMatcher(query)
    const allItems = await readStockItems(ctx)
    const items = allItems.filter(({ name, id }) => matches({ title: name, id }))
    const counted = allItems.find(({ id }) => String(id) === c.req.query('counted'))
    return renderOfficePage(
      c,
      {
        title: 'Stock',
        section: 'stock',
        ...(counted ? { notice: describeCount(counted) } : {}),
        ...notice,
        children: <StockList items={items} query={query} entered={entered} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/stock', (c) => show(c))
    .post('/stock', async (c) => {
      const form = await readForm(c, stockFormSchema)
      if (form instanceof Response) return form
      const itemId = Number(form.item)
      const units = form.units.trim()
      const onHand = units === '' ? null : Number(units)
      const catalogue = await readLatestCatalogue(ctx)
      const isValid = onHand === null || (/^\d+$/.test(units) && onHand <= MAX_STOCK_UNITS)
      const refuse = (notice: string) => show(c, { notice, isError: true }, { itemId, units: form.units })
      if (!isValid || !findItem(catalogue, itemId)) return refuse(STOCK_MESSAGE)
      const expectedOnHand = form.seen === '' ? null : Number(form.seen)
      const set = await setStock({ itemId, onHand, expectedOnHand, actor: c.var.identity }, ctx)
      if (!set.ok) return refuse(describeFailure(set.error))
      const query = c.req.query('q')
      return c.redirect(
        `/stock?${new URLSearchParams({ ...(query ? { q: query } : {}), counted: form.item })}`,
        303,
      )
    })
}

function describeCount({ name, onHand }: StockItem): string {
  const count = onHand === null ? 'made to order, so it never sells out' : `${onHand} in stock`
  return `Stock updated. ${name}: ${count}. The shop will show it within a minute.`
}

function describeFailure(error: SetStockError): string {
  if (error.code === 'units_reserved')
    return `Unpaid orders or exchanges have reserved ${error.reserved}. Please enter at least ${error.reserved}.`
  const now = error.onHand === null ? 'it’s made to order' : `it’s ${error.onHand}`
  return `The stock changed while you were editing: ${now} now. Your change wasn’t saved.`
}

async function readStockItems(ctx: OfficeContext): Promise<StockItem[]> {
  const [catalogue, stock] = await Promise.all([readLatestCatalogue(ctx), readStock(ctx)])
  const ids = catalogue.flatMap(({ id, sizing }) => sizing?.sizes.map((size) => size.id) ?? [id])
  return ids
    .map((id) => {
      const row = stock.get(id)
      return {
        id,
        name: formatItemName(id, catalogue),
        onHand: row?.onHand ?? null,
        reserved: row?.reserved ?? 0,
        available: row ? row.onHand - row.reserved : null,
      }
    })
    .toSorted((a, b) => (a.available ?? Number.MAX_SAFE_INTEGER) - (b.available ?? Number.MAX_SAFE_INTEGER))
}

type StockListProps = { items: readonly StockItem[]; query: string; entered: EnteredCount | undefined }

function StockList({ items, query, entered }: StockListProps) {
  const action = query ? `/stock?${new URLSearchParams({ q: query })}` : '/stock'
  return (
    <>
      <h1>Stock</h1>
      <Permitted route={`GET ${RESERVATIONS_PATH}`}>
        <p>
          <a className="page-link" href={RESERVATIONS_PATH}>
            View reservations
          </a>
        </p>
      </Permitted>
      <SearchForm
        action="/stock"
        label="Product name, size or number"
        placeholder="Product, size, item number"
        query={query}
      />
      {items.length === 0 ? (
        <p className="empty">No items match “{query}”. Try another product, size or number.</p>
      ) : null}
      <ul className="rows">
        {items.map(({ id, name, onHand, reserved, available }) => (
          <li className="row row--count" key={id}>
            <div>
              <strong>{name}</strong>
              {available !== null && available <= LOW_STOCK_UNITS ? (
                <span className="mark mark--due">{available > 0 ? `${available} left` : 'Sold out'}</span>
              ) : null}
              <span className="note">
                {available === null ? 'Made to order' : `${onHand} in stock`}
                {reserved > 0 ? `, ${reserved} reserved for unpaid orders or exchanges` : ''}
              </span>
            </div>
            <form className="count" method="post" action={action}>
              <input type="hidden" name="item" value={id} />
              <input type="hidden" name="seen" value={onHand ?? ''} />
              <input
                name="units"
                aria-label={`Stock of ${name}`}
                defaultValue={entered?.itemId === id ? entered.units : (onHand ?? '')}
                inputMode="numeric"
                autoComplete="off"
                maxLength={7}
              />
              <button className="button button--quiet" type="submit">
                Save <span className="visually-hidden">stock of {name}</span>
              </button>
            </form>
          </li>
        ))}
      </ul>
    </>
  )
}
