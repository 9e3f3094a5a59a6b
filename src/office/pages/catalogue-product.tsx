import { inArray } from 'drizzle-orm'
import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import { stock } from '#server/db/schema.ts'
import { type FormFields, parseForm } from '#server/http/body.ts'
import { auditStatement, countText } from '#server/services/audit.ts'
import { type DraftEntry, readDraft } from '#server/services/catalogue/draft.ts'
import {
  deleteProduct,
  type EditError,
  type EnteredProduct,
  saveProduct,
} from '#server/services/catalogue/edit-product.ts'
import { storePhoto } from '#server/services/catalogue/store-photo.ts'
import { setStock } from '#server/services/stock/set.ts'
import { PLACEHOLDER_IMAGE } from '#shared/rules/cart.ts'
import { CATEGORIES, MAX_RATING, SCALES } from '#shared/rules/catalogue.ts'
import {
  CAROUSEL_TITLE_CHARACTERS,
  CART_DESCRIPTION_CHARACTERS,
  preview,
  SHOP_DESCRIPTION_CHARACTERS,
  SHOP_TITLE_CHARACTERS,
} from '#shared/rules/format.ts'
import type { OfficeDeps, OfficeEnv } from '../deps.ts'
import { errorPage, officePage } from '../layout.tsx'
import { CATALOGUE_PATH, productPath } from '../sections.ts'
import { PHOTOS_SCRIPT_PATH } from '../static-files.ts'

/** Empty rows for new sizes. */
const NEW_ROWS = ['new0', 'new1', 'new2', 'new3']
const MOST_UNITS = 1_000_000
/** All files of a photo together. */
const MAX_PHOTO_BYTES = 6_000_000

type Units = ReadonlyMap<number, number>
type Shown = { notice?: string; isError?: boolean }
/** The form as it is shown: a product of the draft, or what was entered. */
type Form = {
  product: EnteredProduct
  isHidden: boolean
  revision: number
  units: Units
  categories: readonly string[]
}

const NEW_PRODUCT: EnteredProduct = {
  ...{ title: '', description: '', price: null, image: '', category: '', rate: MAX_RATING, scale: null },
  sizes: [],
}

/** `/catalogue/products/:id`, and `new`: a product of the draft, with the texts as shoppers will see them cut. */
export function catalogueProductPage(deps: OfficeDeps) {
  async function show(c: Context<OfficeEnv>, form: Form, shown: Shown = {}) {
    const { product } = form
    return officePage(
      c,
      {
        title: product.title || 'New product',
        section: 'more',
        ...shown,
        children: <ProductForm {...form} />,
      },
      shown.isError ? 409 : 200,
    )
  }

  /** The product with this id in the draft, or a new one. */
  async function formOf(id: string): Promise<Form | undefined> {
    const { entries } = await readDraft(deps)
    const entry = entries.find(({ product }) => String(product.id) === id)
    if (!entry && id !== 'new') return undefined
    const { product = NEW_PRODUCT, isHidden = false, revision = 0 } = entry ?? {}
    const units = entry ? await unitsOf(entry) : new Map<number, number>()
    return { product, isHidden, revision, units, categories: categoriesOf(entries) }
  }

  async function unitsOf({ product: { id, sizes } }: DraftEntry): Promise<Units> {
    const ids = [id, ...sizes.map((size) => size.id)]
    const rows = await deps.db.select().from(stock).where(inArray(stock.itemId, ids))
    return new Map(rows.map(({ itemId, onHand }) => [itemId, onHand]))
  }

  /** Sets the counts that were entered; returns what was refused, in words. */
  async function count(actor: string, counts: readonly Count[]): Promise<string[]> {
    const refusals: string[] = []
    for (const { itemId, name, onHand, seen } of counts) {
      const alongside = (before: number | null) => [
        auditStatement(
          {
            actor,
            act: 'stock.count',
            subject: String(itemId),
            from: countText(before),
            to: countText(onHand),
          },
          deps,
        ),
      ]
      const set = await setStock({ itemId, onHand, seen, alongside }, deps)
      if (!set.ok) refusals.push(`${name}: the count stays, because it was sold or counted meanwhile.`)
    }
    return refusals
  }

  return new Hono<OfficeEnv>()
    .get(productPath(':id'), async (c) => {
      const form = await formOf(c.req.param('id') ?? '')
      return form ? show(c, form) : errorPage(c, 404, 'There is no such product in the draft.')
    })
    .post(productPath(':id'), async (c) => {
      const id = c.req.param('id') ?? ''
      const form = await formOf(id)
      const posted = await parseForm(c)
      if (!form) return errorPage(c, 404, 'There is no such product in the draft.')
      if (!posted.ok) return errorPage(c, 400, 'This form could not be read.')
      const entered = enteredProduct(form.product, posted.data)
      const isHidden = posted.data('state') === 'hidden'
      const problem = problemOf(posted.data, entered)
      if (problem) return show(c, { ...form, product: entered, isHidden }, { notice: problem, isError: true })
      const actor = c.var.identity.email
      const saved = await saveProduct({ entered, isHidden, seen: Number(posted.data('seen')), actor }, deps)
      // What was entered stays in the form, and the next tap saves it over what the other person has saved.
      if (!saved.ok)
        return show(
          c,
          { ...form, product: entered, isHidden },
          { notice: REFUSALS[saved.error.code], isError: true },
        )
      const refusals = await count(actor, countsOf(posted.data, entered, saved.data.id, saved.data.sizes))
      if (refusals.length === 0) return c.redirect(`${CATALOGUE_PATH}?done=saved`, 303)
      const now = await formOf(String(saved.data.id))
      return now
        ? show(c, now, { notice: `It is saved. ${refusals.join(' ')}`, isError: true })
        : errorPage(c, 404, 'There is no such product in the draft.')
    })
    .post(
      `${CATALOGUE_PATH}/photos`,
      bodyLimit({
        maxSize: MAX_PHOTO_BYTES,
        onError: (c) => c.json({ message: 'This photo is too large.' }, 413),
      }),
      async (c) => {
        const posted = await c.req.parseBody().catch(() => ({}))
        const files = new Map<string, Uint8Array<ArrayBuffer>>()
        for (const [name, file] of Object.entries(posted))
          if (file instanceof File) files.set(name, await file.bytes())
        const stored = await storePhoto({ files }, deps)
        return stored.ok ? c.json(stored.data, 201) : c.json({ message: stored.error.message }, 422)
      },
    )
    .post(`${productPath(':id')}/delete`, async (c) => {
      const id = Number(c.req.param('id'))
      const deleted = await deleteProduct({ id, actor: c.var.identity.email }, deps)
      if (deleted.ok) return c.redirect(`${CATALOGUE_PATH}?done=deleted`, 303)
      const form = await formOf(String(id))
      return form
        ? show(c, form, { notice: REFUSALS[deleted.error.code], isError: true })
        : errorPage(c, 404, 'There is no such product in the draft.')
    })
}

const REFUSALS: Record<EditError['code'], string> = {
  unknown_product: 'Nothing was saved: somebody has deleted it meanwhile.',
  changed: 'Nothing was saved: somebody has changed it meanwhile. Save again to keep what you see here.',
  sold: 'It was ordered before, so it cannot be deleted. Hide it instead.',
  overtaken: 'Nothing was saved: somebody changed the draft at the same moment. Please save again.',
}

/** The shop's own categories: those in use, and those of the filter buttons. */
function categoriesOf(entries: readonly DraftEntry[]): string[] {
  const used = entries.map(({ product }) => product.category).filter(Boolean)
  return [...new Set([...used, ...CATEGORIES.filter((name) => name !== 'All')])].toSorted()
}

/** The names of the rows for new sizes that were filled in. */
function newRows(field: FormFields): string[] {
  return NEW_ROWS.filter((suffix) => field(`label-${suffix}`).trim())
}

/** A price as it was entered; NaN where it is none. */
function priceIn(text: string): number | null {
  const digits = text.replaceAll(/[\s,]/g, '')
  return digits === '' ? null : Number(digits)
}

function enteredProduct(before: EnteredProduct, field: FormFields): EnteredProduct {
  const scale = SCALES.find((name) => name === field('scale')) ?? null
  const known = before.sizes.map((size, index) => ({
    ...size,
    label: field(`label-${size.id}`).trim(),
    price: priceIn(field(`price-${size.id}`)),
    // The first size has the product's own id: it goes with the product.
    isHidden: index > 0 && field(`shown-${size.id}`) !== 'yes',
  }))
  const added = newRows(field).map((suffix) => ({
    label: field(`label-${suffix}`).trim(),
    price: priceIn(field(`price-${suffix}`)),
    isHidden: false,
  }))
  return {
    ...(before.id === undefined ? {} : { id: before.id }),
    title: field('title').trim(),
    description: field('description').trim().replaceAll('\r\n', '\n'),
    price: priceIn(field('price')),
    image: field('image').trim(),
    category: field('category'),
    rate: Number(field('rate').replace(',', '.')),
    scale,
    sizes: [...known, ...added],
  }
}

/** What cannot be saved, even in a draft. */
function problemOf(field: FormFields, { title, price, rate, sizes }: EnteredProduct): string | undefined {
  if (!title) return 'Please give it a name.'
  if ([price, ...sizes.map((size) => size.price)].some((value) => Number.isNaN(value)))
    return 'Please enter prices in KSH, as 1250 or 99.50.'
  if (!(rate >= 0 && rate <= MAX_RATING)) return `Please enter a rating from 0 to ${MAX_RATING}.`
  const names = ['own', ...sizes.flatMap(({ id }) => id ?? []).map(String), ...newRows(field)]
  const counts = names.map((name) => field(`units-${name}`).trim())
  if (counts.some((text) => text !== '' && !(/^\d+$/.test(text) && Number(text) <= MOST_UNITS)))
    return 'Please enter how many there are, or nothing for made to order.'
  return undefined
}

type Count = { itemId: number; name: string; onHand: number | null; seen: number | null }

/** The counts that are different from those that were shown. */
function countsOf(
  field: FormFields,
  entered: EnteredProduct,
  id: number,
  sizes: readonly { id: number; label: string }[],
): Count[] {
  const units = (text: string) => (text.trim() === '' ? null : Number(text))
  const suffixes = [...entered.sizes.flatMap((size) => size.id ?? []).map(String), ...newRows(field)]
  const fields =
    sizes.length > 0
      ? sizes.map(({ id, label }, index) => ({ itemId: id, name: label, suffix: suffixes[index] ?? '' }))
      : [{ itemId: id, name: entered.title, suffix: 'own' }]
  return fields.flatMap(({ itemId, name, suffix }) => {
    const onHand = units(field(`units-${suffix}`))
    const seen = units(field(`seen-units-${suffix}`))
    return onHand === seen ? [] : [{ itemId, name, onHand, seen }]
  })
}

function ProductForm({ product, isHidden, revision, units, categories }: Form) {
  const { id, title, description, price, image, category, rate, scale, sizes } = product
  const path = productPath(id ?? 'new')
  const ownUnits = id === undefined ? '' : (units.get(id) ?? '')
  const added = sizes.filter((size) => size.id === undefined)
  return (
    <>
      <h1>{title || 'New product'}</h1>
      <p>
        <a href={CATALOGUE_PATH}>Back to the catalogue</a>
      </p>
      <form className="panel product-form" method="post" action={path}>
        <input type="hidden" name="seen" value={revision} />
        <Field label="Name" name="title" defaultValue={title} required maxLength={200} />
        <Cuts of="title" text={title} cuts={TITLE_CUTS} />
        <div className="field">
          <label htmlFor="description">Description</label>
          <textarea
            id="description"
            name="description"
            rows={6}
            defaultValue={description}
            maxLength={5000}
          />
        </div>
        <Cuts of="description" text={description} cuts={DESCRIPTION_CUTS} />
        <Field label="Price in KSH" name="price" defaultValue={price ?? ''} inputMode="decimal" />
        <Select label="Category" name="category" value={category} options={categories} />
        <Field label="Picture: a path of the shop, or an https address" name="image" defaultValue={image} />
        <Photo image={image} />
        <Field label={`Rating, 0 to ${MAX_RATING}`} name="rate" defaultValue={rate} inputMode="decimal" />
        <div className="field">
          <label htmlFor="state">State</label>
          <select id="state" name="state" defaultValue={isHidden ? 'hidden' : 'active'}>
            <option value="active">Shoppers see it</option>
            <option value="hidden">Hidden</option>
          </select>
        </div>
        <h2>Sizes</h2>
        <Select
          label="Measured as"
          name="scale"
          value={scale ?? ''}
          options={SCALES}
          empty="It comes in no sizes"
        />
        {sizes.length === 0 ? (
          <>
            <Field
              label="How many there are; nothing: made to order"
              name="units-own"
              defaultValue={ownUnits}
              inputMode="numeric"
            />
            <input type="hidden" name="seen-units-own" value={ownUnits} />
          </>
        ) : null}
        {sizes.map((size, index) => {
          if (size.id === undefined) return null
          return (
            <SizeRow key={size.id} suffix={String(size.id)} size={size} isFirst={index === 0} units={units} />
          )
        })}
        {NEW_ROWS.map((suffix, index) => (
          <SizeRow key={suffix} suffix={suffix} size={added[index]} isFirst units={units} />
        ))}
        <button className="button" type="submit">
          Save in the draft
        </button>
      </form>
      {id === undefined ? null : (
        <form method="post" action={`${path}/delete`}>
          <button className="button button--quiet" type="submit">
            Delete
          </button>
        </form>
      )}
    </>
  )
}

/** A photo from the phone instead of an address; the script prepares and sends it. */
function Photo({ image }: { image: string }) {
  return (
    <div className="field" data-photo>
      <label htmlFor="photo">Or take or choose a photo</label>
      <input id="photo" type="file" accept="image/*" />
      <progress max="1" aria-label="Sent" hidden />
      <p className="note" role="status" />
      <button className="button button--quiet" type="button" hidden>
        Send it again
      </button>
      <img
        className="thumb"
        src={image || PLACEHOLDER_IMAGE}
        alt="What shoppers see"
        width="96"
        height="120"
      />
      <script src={PHOTOS_SCRIPT_PATH} defer />
    </div>
  )
}

const TITLE_CUTS = [
  [SHOP_TITLE_CHARACTERS, 'in the shop'],
  [CAROUSEL_TITLE_CHARACTERS, 'beside other products'],
] as const
const DESCRIPTION_CUTS = [
  [SHOP_DESCRIPTION_CHARACTERS, 'in the shop'],
  [CART_DESCRIPTION_CHARACTERS, 'in the cart'],
] as const

/** A text as shoppers see it cut; the office's script follows what is typed. */
function Cuts({
  of,
  text,
  cuts,
}: {
  of: string
  text: string
  cuts: readonly (readonly [number, string])[]
}) {
  return (
    <dl className="facts cuts">
      {cuts.map(([length, where]) => (
        <div key={where}>
          <dt>
            {length} characters {where}
          </dt>
          <dd>
            <output htmlFor={of} data-cut={length}>
              {preview(text, length)}
            </output>
          </dd>
        </div>
      ))}
    </dl>
  )
}

type SizeRowProps = {
  suffix: string
  size: EnteredProduct['sizes'][number] | undefined
  isFirst: boolean
  units: Units
}

function SizeRow({ suffix, size, isFirst, units }: SizeRowProps) {
  const onHand = size?.id === undefined ? undefined : units.get(size.id)
  return (
    <fieldset className="size-row">
      <legend>{size?.id === undefined ? 'New size' : size.label}</legend>
      <Field label="Label" name={`label-${suffix}`} defaultValue={size?.label ?? ''} maxLength={40} />
      <Field
        label="Price, if its own"
        name={`price-${suffix}`}
        defaultValue={size?.price ?? ''}
        inputMode="decimal"
      />
      <Field label="How many" name={`units-${suffix}`} defaultValue={onHand ?? ''} inputMode="numeric" />
      <input type="hidden" name={`seen-units-${suffix}`} value={onHand ?? ''} />
      {size && !isFirst ? (
        <label className="order__choice">
          <input type="checkbox" name={`shown-${suffix}`} value="yes" defaultChecked={!size.isHidden} />
          Shown
        </label>
      ) : null}
    </fieldset>
  )
}

type FieldProps = { label: string; name: string } & React.ComponentProps<'input'>

function Field({ label, name, ...input }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input id={name} name={name} autoComplete="off" {...input} />
    </div>
  )
}

type SelectProps = { label: string; name: string; value: string; options: readonly string[]; empty?: string }

function Select({ label, name, value, options, empty = 'Please choose' }: SelectProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <select id={name} name={name} defaultValue={value}>
        <option value="">{empty}</option>
        {options.map((option) => (
          <option key={option} value={option}>
            {option}
          </option>
        ))}
      </select>
    </div>
  )
}
