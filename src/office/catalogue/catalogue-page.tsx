import { type Context, Hono } from 'hono'
import { bodyLimit } from 'hono/body-limit'
import * as z from 'zod/mini'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { readForm } from '#office/platform/form.ts'
import { errorPage, officePage } from '#office/platform/layout.tsx'
import { CATALOGUE_PATH, PREVIEW_PATH, PUBLISH_PATH, productPath } from '#office/platform/sections.ts'
import { type Draft, type DraftEntry, draftText, readDraft } from '#server/catalogue/draft.ts'
import { moveProduct, setHidden } from '#server/catalogue/edit-product.ts'
import { discardDraft, hasChanges, importDraft } from '#server/catalogue/publish-draft.ts'
import { PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import type { CatalogueIssue } from '#shared/catalogue/catalogue-issues.ts'
import { thumbnailAddress } from '#shared/catalogue/pictures.ts'
import { CENTS, formatMoney } from '#shared/format.ts'

import { filteredListPath, filterQuery } from './list-filter.ts'

const id = z.string().check(z.regex(/^\d{1,15}$/))
const moveForm = z.object({ id, to: z.enum(['up', 'down', 'first']) })
const stateForm = z.object({ id, to: z.enum(['hidden', 'active']) })

const PRODUCTS_PER_PAGE = 60
const MAX_FILE_BYTES = 5 * 1024 * 1024

const DONE: Record<string, string> = {
  saved: 'Saved to the draft. Publish the draft to show it to shoppers.',
  deleted: 'Deleted from the draft. Publish the draft to remove it from the shop.',
  imported: 'Imported. The draft now matches the file.',
  discarded: 'Changes discarded. The draft now matches the published catalogue.',
}

type Notice = { notice?: string; isError?: boolean }
type Filter = { query: string; category: string; state: string; page: number }

/** `/catalogue`: the draft's products, with search, order, visibility, import and export. */
export function cataloguePage(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: Notice = {}) {
    const { q = '', category = '', state = '', page = '', done = '' } = c.req.query()
    const filter = { query: q.trim().toLowerCase(), category, state, page: Math.max(Number(page) || 1, 1) }
    const text = notice.notice ?? DONE[done]
    return officePage(
      c,
      {
        title: 'Catalogue',
        section: 'more',
        ...(text ? { notice: text } : {}),
        isError: notice.isError ?? false,
        children: <Catalogue draft={await readDraft(ctx)} filter={filter} search={filterQuery(c)} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get(CATALOGUE_PATH, (c) => show(c))
    .post(`${CATALOGUE_PATH}/move`, async (c) => {
      const form = await readForm(c, moveForm)
      if (form instanceof Response) return form
      const moved = await moveProduct({ id: Number(form.id), to: form.to, actor: c.var.identity }, ctx)
      return moved.ok ? c.redirect(`${filteredListPath(c)}#product-${form.id}`, 303) : show(c, CONFLICT)
    })
    .post(`${CATALOGUE_PATH}/state`, async (c) => {
      const form = await readForm(c, stateForm)
      if (form instanceof Response) return form
      const actor = c.var.identity
      const changed = await setHidden({ id: Number(form.id), isHidden: form.to === 'hidden', actor }, ctx)
      return changed.ok ? c.redirect(`${filteredListPath(c)}#product-${form.id}`, 303) : show(c, CONFLICT)
    })
    .get(`${CATALOGUE_PATH}/Items.json`, async (c) =>
      c.body(draftText(await readDraft(ctx)), 200, {
        'Content-Type': 'application/json',
        'Content-Disposition': 'attachment; filename="Items.json"',
      }),
    )
    .post(
      `${CATALOGUE_PATH}/import`,
      bodyLimit({
        maxSize: MAX_FILE_BYTES,
        onError: (c) => errorPage(c, 413, 'This file is too large. Please choose one under 5 MB.'),
      }),
      async (c) => {
        const { file } = await c.req.parseBody().catch(() => ({ file: undefined }))
        if (!(file instanceof File) || file.size === 0)
          return show(c, { notice: 'Please choose an Items.json file, then import it.', isError: true })
        const imported = await importDraft({ text: await file.text(), actor: c.var.identity }, ctx)
        if (imported.ok) return c.redirect(`${CATALOGUE_PATH}?done=imported`, 303)
        if (imported.error.code === 'overtaken') return show(c, CONFLICT)
        return show(c, { notice: importFailureMessage(imported.error.issues), isError: true })
      },
    )
    .post(`${CATALOGUE_PATH}/discard`, async (c) => {
      await discardDraft({ actor: c.var.identity }, ctx)
      return c.redirect(`${CATALOGUE_PATH}?done=discarded`, 303)
    })
}

function importFailureMessage([first, ...others]: readonly CatalogueIssue[]): string {
  if (first?.index === undefined) return `Nothing was imported. ${first?.problem ?? ''}`
  const problem = `Product ${first.index + 1}: ${first.problem}.`
  const more = others.length > 0 ? ` More problems found: ${others.length}.` : ''
  return `Nothing was imported. ${problem}${more}`
}

const CONFLICT = {
  notice: 'Someone else changed this while you were editing. Nothing was saved. Please check and try again.',
  isError: true,
}

type CatalogueProps = { draft: Draft; filter: Filter; search: string }

function Catalogue({ draft, filter, search }: CatalogueProps) {
  const { query, category, state, page } = filter
  const categories = [
    ...new Set(draft.entries.map(({ product }) => product.category).filter(Boolean)),
  ].toSorted()
  const found = draft.entries.filter(
    ({ product, isHidden }) =>
      `${product.title} ${product.id}`.toLowerCase().includes(query) &&
      (!category || product.category === category) &&
      (state === '' || (state === 'hidden') === isHidden),
  )
  const isUnfiltered = found.length === draft.entries.length
  const visible = found.slice((page - 1) * PRODUCTS_PER_PAGE, page * PRODUCTS_PER_PAGE)
  const pageLink = (to: number) =>
    `${CATALOGUE_PATH}?${new URLSearchParams({ q: query, category, state, page: String(to) })}`
  return (
    <>
      <h1>Catalogue</h1>
      <div className="actions">
        <a className="button" href={PUBLISH_PATH}>
          {hasChanges(draft) ? 'Review and publish' : 'View versions'}
        </a>
        <a className="button button--quiet" href={productPath('new')}>
          Add product
        </a>
        <a className="button button--quiet" href={PREVIEW_PATH}>
          Preview shop
        </a>
      </div>
      <search>
        <form className="filters" action={CATALOGUE_PATH}>
          <div className="field field--wide">
            <label htmlFor="q">Product name or number</label>
            <input id="q" name="q" type="search" defaultValue={query} autoComplete="off" />
          </div>
          <Choice
            name="category"
            label="Category"
            value={category}
            options={categories.map((name) => [name, name])}
          />
          <Choice
            name="state"
            label="Visibility"
            value={state}
            options={[
              ['active', 'Visible'],
              ['hidden', 'Hidden'],
            ]}
          />
          <button className="button button--quiet" type="submit">
            Search products
          </button>
        </form>
      </search>
      <p className="note">
        {found.length} of {draft.entries.length} products
      </p>
      {found.length === 0 ? (
        <p className="empty">No products match. Try another name, category or visibility.</p>
      ) : null}
      <ul className="rows">
        {visible.map((entry) => (
          <Row key={entry.product.id} entry={entry} canMove={isUnfiltered} search={search} />
        ))}
      </ul>
      <div className="actions actions--small">
        {page > 1 ? (
          <a className="button button--quiet" href={pageLink(page - 1)}>
            Show previous products
          </a>
        ) : null}
        {found.length > page * PRODUCTS_PER_PAGE ? (
          <a className="button button--quiet" href={pageLink(page + 1)}>
            Show more products
          </a>
        ) : null}
      </div>
      <section className="panel">
        <h2>Import and export</h2>
        <p>
          <a className="button button--quiet" href={`${CATALOGUE_PATH}/Items.json`} download>
            Download Items.json
          </a>
        </p>
        <form
          className="import"
          method="post"
          action={`${CATALOGUE_PATH}/import`}
          encType="multipart/form-data"
        >
          <label htmlFor="file">
            Items.json file (replaces the draft; products missing from the file are hidden)
          </label>
          <input id="file" name="file" type="file" accept=".json,application/json" required />
          <button className="button button--quiet" type="submit">
            Import file
          </button>
        </form>
      </section>
    </>
  )
}

type ChoiceProps = {
  name: string
  label: string
  value: string
  options: readonly (readonly [string, string])[]
}

function Choice({ name, label, value, options }: ChoiceProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <select id={name} name={name} defaultValue={value}>
        <option value="">All</option>
        {options.map(([option, text]) => (
          <option key={option} value={option}>
            {text}
          </option>
        ))}
      </select>
    </div>
  )
}

const MOVES = [
  ['first', 'To top'],
  ['up', 'Up'],
  ['down', 'Down'],
] as const

type RowProps = { entry: DraftEntry; canMove: boolean; search: string }

/** A product. A filtered list hides its neighbours, so it can't be moved there. */
function Row({ entry: { product, isHidden }, canMove, search }: RowProps) {
  const { id, title, price, category, images, sizes } = product
  const name = title || 'Untitled product'
  const count = sizes.filter((size) => !size.isHidden).length
  return (
    <li className="row product-row" id={`product-${id}`}>
      <a className="product-row__link" href={productPath(id) + search}>
        <img
          className="thumb"
          src={images[0]?.image ? thumbnailAddress(images[0].image) : PLACEHOLDER_IMAGE}
          alt=""
          width="96"
          height="120"
          loading="lazy"
        />
        <span>
          <strong>{name}</strong>
          <span className="note">
            {price === null ? 'No price' : formatMoney(price * CENTS)}, {category || 'no category'}
            {count > 1 ? `, ${count} sizes` : ''}
          </span>
          {isHidden ? <span className="mark">Hidden</span> : null}
        </span>
      </a>
      <div className="actions actions--small">
        {canMove ? (
          <form className="actions actions--small" method="post" action={`${CATALOGUE_PATH}/move${search}`}>
            <input type="hidden" name="id" value={id} />
            {MOVES.map(([to, text]) => (
              <button key={to} className="button button--quiet" type="submit" name="to" value={to}>
                {text}
                <span className="visually-hidden">: {name}</span>
              </button>
            ))}
          </form>
        ) : null}
        <form method="post" action={`${CATALOGUE_PATH}/state${search}`}>
          <input type="hidden" name="id" value={id} />
          <button
            className="button button--quiet"
            type="submit"
            name="to"
            value={isHidden ? 'active' : 'hidden'}
          >
            {isHidden ? 'Show' : 'Hide'}
            <span className="visually-hidden">: {name}</span>
          </button>
        </form>
      </div>
    </li>
  )
}
