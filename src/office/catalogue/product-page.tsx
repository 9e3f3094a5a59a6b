import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { renderFormError } from '#office/platform/form.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { CATALOGUE_PATH, getProductPath } from '#office/platform/sections.ts'
import { type DraftEntry, readDraft } from '#server/catalogue/draft.ts'
import { parseDraftRedirects } from '#server/catalogue/draft-redirects.ts'
import {
  deleteProduct,
  type EditProductError,
  type ProductInput,
  saveProduct,
} from '#server/catalogue/edit-product.ts'
import { storePhoto } from '#server/catalogue/store-photo.ts'
import { parseForm } from '#server/platform/http/body.ts'
import { readStock } from '#server/stock/read-stock.ts'
import { setStock } from '#server/stock/set-stock.ts'
import type { Actor } from '#shared/team/roles.ts'
import { getFilteredListPath, getFilterQuery } from './list-filter.ts'
import {
  arrangeImages,
  findProductProblem,
  listStockCountChanges,
  listUsableCategories,
  type ProductFields,
  parseEnteredProduct,
  parseStockCountFields,
  type StockCountChange,
  type StockCountFields,
} from './product-fields.ts'
import { ProductForm } from './product-form.tsx'

/** The limit for all widths of a photo together. */
const MAX_PHOTO_BYTES = 6_000_000

type Notice = { notice?: string; isError?: boolean }

const NEW_PRODUCT: ProductInput = {
  ...{
    title: '',
    description: '',
    price: null,
    salePrice: null,
    saleStartsAt: null,
    saleEndsAt: null,
    images: [],
    category: '',
    rate: null,
    scale: null,
  },
  sizes: [],
}

export function productRoutes(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, form: ProductFields, notice: Notice = {}) {
    const { product } = form
    return renderOfficePage(
      c,
      {
        title: product.title || 'New product',
        section: 'more',
        ...notice,
        children: <ProductForm {...form} search={getFilterQuery(c)} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  async function loadProductFields(c: Context<OfficeEnv>, id: string): Promise<ProductFields | undefined> {
    const draft = await readDraft(c.var.ownerContext())
    const { entries } = draft
    const entry = entries.find(({ product }) => String(product.id) === id)
    if (!entry && id !== 'new') return undefined
    const { product = NEW_PRODUCT, isHidden = false, revision = 0 } = entry ?? {}
    const counts: StockCountFields = entry ? await readCountFields(entry) : new Map()
    return {
      product,
      isHidden,
      revision,
      counts,
      categories: listUsableCategories(draft),
      redirectTo: String(parseDraftRedirects(draft).get(product.id ?? 0) ?? ''),
    }
  }

  async function readCountFields({ product: { id, sizes } }: DraftEntry): Promise<StockCountFields> {
    const ids = [id, ...sizes.map((size) => size.id)]
    const stock = await readStock(ctx)
    return new Map(
      ids.flatMap((itemId) => {
        const row = stock.get(itemId)
        if (!row) return []
        const count = String(row.onHand)
        return [[sizes.length > 0 ? String(itemId) : 'own', { entered: count, expected: count }]]
      }),
    )
  }

  async function saveCounts(actor: Actor, counts: readonly StockCountChange[]): Promise<string[]> {
    const refusals: string[] = []
    for (const { itemId, name, onHand, expectedOnHand } of counts) {
      const set = await setStock({ itemId, onHand, expectedOnHand, actor }, ctx)
      if (!set.ok)
        refusals.push(
          set.error.code === 'units_reserved'
            ? `We didn’t update the stock of ${name}: unpaid orders or exchanges have reserved ${set.error.reserved}. Please enter at least ${set.error.reserved}.`
            : `We didn’t update the stock of ${name} because it changed while you were editing. Please check it.`,
        )
    }
    return refusals
  }

  return new Hono<OfficeEnv>()
    .get(getProductPath(':id'), async (c) => {
      const form = await loadProductFields(c, c.req.param('id') ?? '')
      return form ? show(c, form) : renderErrorPage(c, 404, 'We can’t find this product in the draft.')
    })
    .post(getProductPath(':id'), async (c) => {
      const id = c.req.param('id') ?? ''
      const form = await loadProductFields(c, id)
      const posted = await parseForm(c)
      if (!form) return renderErrorPage(c, 404, 'We can’t find this product in the draft.')
      if (!posted.ok) return renderFormError(c, posted.error)
      const entered = parseEnteredProduct(form.product, posted.data)
      const isHidden = posted.data('state') === 'hidden'
      const expectedRevision = Number(posted.data('seen'))
      const redirectTo = posted.data('redirectTo').trim()
      const counts = parseStockCountFields(entered, posted.data)
      const typed = { ...form, product: entered, isHidden, redirectTo, revision: expectedRevision, counts }
      const images = arrangeImages(posted.data)
      if (images)
        return show(
          c,
          { ...typed, product: { ...entered, images } },
          { notice: 'Not saved yet. Save the draft to keep your changes.' },
        )
      const problem = findProductProblem(posted.data, entered)
      if (problem)
        return show(c, { ...typed, typed: posted.data, problem }, { notice: problem.message, isError: true })
      const actor = c.var.identity
      const saved = await saveProduct(
        {
          entered,
          isHidden,
          redirectTo: redirectTo === '' ? null : Number(redirectTo),
          expectedRevision,
          actor,
        },
        c.var.ownerContext(),
      )
      if (!saved.ok) {
        // If someone else changed the product, the form gets the latest revision, so that saving again overwrites their
        // changes.
        const overwriting = { ...typed, revision: form.revision }
        return show(c, overwriting, { notice: EDIT_ERRORS[saved.error.code], isError: true })
      }
      const refusals = await saveCounts(
        actor,
        listStockCountChanges(posted.data, entered, saved.data.id, saved.data.sizes),
      )
      if (refusals.length === 0) return c.redirect(getFilteredListPath(c, 'saved'), 303)
      const now = await loadProductFields(c, String(saved.data.id))
      return now
        ? show(c, now, { notice: `Saved. ${refusals.join(' ')}`, isError: true })
        : renderErrorPage(c, 404, 'We can’t find this product in the draft.')
    })
    .post(
      `${CATALOGUE_PATH}/photos`,
      bodyLimit({
        maxSize: MAX_PHOTO_BYTES,
        onError: (c) => c.json({ message: 'This photo is too large. Please choose a smaller one.' }, 413),
      }),
      async (c) => {
        const posted: Record<string, unknown> = await c.req.parseBody().catch(() => ({}))
        const files = new Map<string, Uint8Array<ArrayBuffer>>()
        for (const [name, file] of Object.entries(posted))
          if (file instanceof File) files.set(name, await file.bytes())
        const upload = { files, colour: String(posted.colour), actor: c.var.identity }
        const stored = await storePhoto(upload, ctx)
        return stored.ok ? c.json(stored.data, 201) : c.json({ message: stored.error.message }, 422)
      },
    )
    .post(`${getProductPath(':id')}/delete`, async (c) => {
      const id = Number(c.req.param('id'))
      const deleted = await deleteProduct({ id, actor: c.var.identity }, c.var.ownerContext())
      if (deleted.ok) return c.redirect(getFilteredListPath(c, 'deleted'), 303)
      const form = await loadProductFields(c, String(id))
      return form
        ? show(c, form, { notice: EDIT_ERRORS[deleted.error.code], isError: true })
        : renderErrorPage(c, 404, 'We can’t find this product in the draft.')
    })
}

const EDIT_ERRORS: Record<EditProductError['code'], string> = {
  unknown_product: 'Someone else deleted this product. Nothing was saved.',
  changed: 'This has changed since you opened it. Save again to overwrite those changes.',
  redirect: 'To redirect customers, enter the number of another product that they can see.',
  sold: 'This product has orders, so it can’t be deleted. Hide it instead.',
  conflict: 'Someone else changed the draft at the same time. Nothing was saved. Please save again.',
}
