import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm } from '#office/platform/form.ts'
import { officePage } from '#office/platform/layout.tsx'
import { latestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import { stock } from '#server/platform/db/schema.ts'
import { type SetError, setStock } from '#server/stock/set-stock.ts'
import { FEW_UNITS } from '#shared/catalogue/catalogue-stock.ts'
import { itemById } from '#shared/catalogue/items.ts'
import { nameWithSize } from '#shared/format.ts'

const stockForm = z.object({
  item: z.string().check(z.regex(/^\d{1,15}$/)),
  units: z.string(),
  /** The count that was shown; empty for made to order. */
  seen: z.string().check(z.regex(/^\d{0,7}$/)),
})
const MOST_UNITS = 1_000_000

type Item = { id: number; name: string; onHand: number | null; held: number; left: number | null }

/** `/stock`: how many there are of every item, low ones first, counted in place. */
export function stockPage(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: { notice?: string; isError?: boolean } = {}) {
    const words = (c.req.query('q') ?? '').trim().toLowerCase()
    const items = (await readItems(ctx)).filter(({ name, id }) =>
      `${name} ${id}`.toLowerCase().includes(words),
    )
    return officePage(
      c,
      { title: 'Stock', section: 'stock', ...notice, children: <Stock items={items} words={words} /> },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get('/stock', (c) =>
      show(c, c.req.query('done') ? { notice: 'Stock updated. The shop will show it within a minute.' } : {}),
    )
    .post('/stock', async (c) => {
      const form = await readForm(c, stockForm)
      if (form instanceof Response) return form
      const itemId = Number(form.item)
      const units = form.units.trim()
      const onHand = units === '' ? null : Number(units)
      const catalogue = await latestCatalogue(ctx)
      const isCount = onHand === null || (/^\d+$/.test(units) && onHand <= MOST_UNITS)
      if (!isCount || !itemById(catalogue, itemId))
        return show(c, {
          notice: 'Please enter a stock count, or leave it empty for made to order.',
          isError: true,
        })
      const seen = form.seen === '' ? null : Number(form.seen)
      const set = await setStock({ itemId, onHand, seen, actor: c.var.identity.email }, ctx)
      if (!set.ok) return show(c, { notice: refusalOf(set.error), isError: true })
      return c.redirect('/stock?done=counted', 303)
    })
}

function refusalOf(error: SetError): string {
  if (error.code === 'units_held')
    return `Unpaid orders reserve ${error.held}. You can’t go below that until they’re paid or expire.`
  const now = error.onHand === null ? 'it’s made to order' : `there are ${error.onHand} in stock`
  return `It was sold or counted in the meantime, and ${now} now. Nothing was changed.`
}

/** Every item of the catalogue, those of which few are left first, those made to order last. */
async function readItems(ctx: OfficeContext): Promise<Item[]> {
  const [catalogue, rows] = await Promise.all([latestCatalogue(ctx), ctx.db.select().from(stock)])
  const known = new Map(rows.map((row) => [row.itemId, row]))
  const ids = catalogue.flatMap(({ id, sizing }) => sizing?.sizes.map((size) => size.id) ?? [id])
  return ids
    .map((id) => {
      const item = itemById(catalogue, id)
      const row = known.get(id)
      return {
        id,
        name: item ? nameWithSize(item.product.title, item.size) : `Item ${id}`,
        onHand: row?.onHand ?? null,
        held: row?.held ?? 0,
        left: row ? row.onHand - row.held : null,
      }
    })
    .toSorted((a, b) => (a.left ?? Number.MAX_SAFE_INTEGER) - (b.left ?? Number.MAX_SAFE_INTEGER))
}

function Stock({ items, words }: { items: readonly Item[]; words: string }) {
  return (
    <>
      <h1>Stock</h1>
      <search>
        <form className="search" action="/stock">
          <label className="visually-hidden" htmlFor="q">
            Item
          </label>
          <input id="q" name="q" type="search" defaultValue={words} placeholder="Item" autoComplete="off" />
          <button className="button" type="submit">
            Search
          </button>
        </form>
      </search>
      {items.length === 0 ? <p className="empty">No items match.</p> : null}
      <ul className="rows">
        {items.map(({ id, name, onHand, held, left }) => (
          <li className="row row--count" key={id}>
            <div>
              <strong>{name}</strong>
              {left !== null && left <= FEW_UNITS ? (
                <span className="mark mark--due">{left} left</span>
              ) : null}
              <span className="note">
                {left === null ? 'made to order' : `${onHand} in stock`}
                {held > 0 ? `, ${held} reserved by unpaid orders` : ''}
              </span>
            </div>
            <form className="count" method="post" action="/stock">
              <input type="hidden" name="item" value={id} />
              <input type="hidden" name="seen" value={onHand ?? ''} />
              <input
                name="units"
                aria-label={`Stock of ${name}`}
                defaultValue={onHand ?? ''}
                inputMode="numeric"
                autoComplete="off"
                maxLength={7}
              />
              <button className="button button--quiet" type="submit">
                Save
              </button>
            </form>
          </li>
        ))}
      </ul>
    </>
  )
}
