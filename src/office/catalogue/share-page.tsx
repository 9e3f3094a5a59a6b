import { Hono } from 'hono'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { SHARE_PATH } from '#office/platform/sections.ts'
import { ShareLinks } from '#office/platform/share-links.tsx'
import { getCartLinkPath } from '#shared/cart/cart-link.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { formatMoney, formatNameWithSize, kshToCents } from '#shared/format.ts'
import { href } from '#shared/routes.ts'
import {
  ItemPicker,
  type PickedItems,
  parsePickedItems,
  QTY_MESSAGE,
  readCatalogueWithStock,
} from './item-picker.tsx'

export function shareRoutes(ctx: OfficeContext) {
  return new Hono<OfficeEnv>().get(SHARE_PATH, async (c) => {
    const catalogue = await readCatalogueWithStock(c.var.ownerContext())
    const values = c.req.query()
    const field = Object.assign((name: string) => values[name] ?? '', { names: Object.keys(values) })
    const picked = parsePickedItems(field, catalogue)
    const notice = picked.invalidQtys.size > 0 ? { notice: QTY_MESSAGE, isError: true } : {}
    const origin = ctx.config.SITE_ORIGIN ?? new URL(c.req.url).origin
    return renderOfficePage(c, {
      title: 'Share products',
      section: 'more',
      ...notice,
      children: <ShareCart catalogue={catalogue} query={field('q')} picked={picked} origin={origin} />,
    })
  })
}

type ShareCartProps = { catalogue: Catalogue; query: string; picked: PickedItems; origin: string }

function ShareCart({ catalogue, query, picked, origin }: ShareCartProps) {
  const { lines, invalidQtys } = picked
  const [only] = lines.length === 1 ? lines : []
  const text = lines
    .map(({ title, size, price, qty }) => {
      const name = formatNameWithSize(title, size)
      return `${qty > 1 ? `${qty} × ` : ''}${name} (${formatMoney(kshToCents(price))}${qty > 1 ? ' each' : ''})`
    })
    .join('\n')
  return (
    <>
      <h1>Share products</h1>
      <form className="panel" action={SHARE_PATH}>
        <ItemPicker catalogue={catalogue} query={query} {...picked} />
      </form>
      {lines.length > 0 && invalidQtys.size === 0 ? (
        <section className="panel">
          <h2>Send to your customer</h2>
          <ShareLinks
            id="cart-link"
            label="Link that adds these to the customer’s cart, at the prices on the day they open it"
            link={origin + getCartLinkPath(lines)}
            text={text}
          />
          {only ? (
            <ShareLinks
              id="product-link"
              label="Link to the product’s page"
              link={origin + href('product', { id: only.id })}
              text={text}
            />
          ) : null}
        </section>
      ) : null}
    </>
  )
}
