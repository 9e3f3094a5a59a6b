import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { OfficeEnv } from '#office/context.ts'
import { readForm } from '#office/platform/form.ts'
import { renderOfficePage } from '#office/platform/layout.tsx'
import { CATALOGUE_PATH, CATEGORIES_PATH } from '#office/platform/sections.ts'
import { readDraft } from '#server/catalogue/draft.ts'
import {
  type CategoryChange,
  changeCategories,
  parseDraftCategories,
} from '#server/catalogue/edit-categories.ts'
import { isCustomCategory, MAX_CATEGORY_CHARACTERS } from '#shared/catalogue/categories.ts'

const categoryFormSchema = z.object({
  name: z.string(),
  to: z.enum(['add', 'remove', 'up', 'down', 'restore']),
})

const ERROR_MESSAGES = {
  invalid: `Enter a name of 1 to ${MAX_CATEGORY_CHARACTERS} characters.`,
  taken: 'There’s already a category with this name.',
  too_many: 'The shop can’t show any more categories. Remove one first.',
  unknown: 'Someone else removed this category.',
  conflict: 'Someone else changed the draft at the same time. Nothing was saved. Please try again.',
}

export function categoryRoutes() {
  async function show(c: Context<OfficeEnv>, notice: string | undefined, entered = '') {
    const [, ...categories] = parseDraftCategories(await readDraft(c.var.ownerContext()))
    const isError = notice !== undefined && c.req.method === 'POST'
    return renderOfficePage(
      c,
      {
        title: 'Categories',
        section: 'more',
        ...(notice ? { notice } : {}),
        isError,
        children: <CategoryList categories={categories} entered={entered} />,
      },
      isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get(CATEGORIES_PATH, (c) =>
      show(c, c.req.query('done') && 'Saved to the draft. Publish the draft to show it to customers.'),
    )
    .post(CATEGORIES_PATH, async (c) => {
      const posted = await readForm(c, categoryFormSchema)
      if (posted instanceof Response) return posted
      const changed = await changeCategories(
        { change: toChange(posted), actor: c.var.identity },
        c.var.ownerContext(),
      )
      if (changed.ok) return c.redirect(`${CATEGORIES_PATH}?done=saved`, 303)
      return show(c, ERROR_MESSAGES[changed.error.code], posted.to === 'add' ? posted.name : '')
    })
}

function toChange({ name, to }: z.infer<typeof categoryFormSchema>): CategoryChange {
  if (to === 'add') return { add: name }
  if (to === 'remove') return { remove: name }
  return to === 'restore' ? { restore: true } : { move: name, to }
}

function CategoryList({ categories, entered }: { categories: readonly string[]; entered: string }) {
  return (
    <>
      <h1>Categories</h1>
      <p>
        <a className="page-link" href={CATALOGUE_PATH}>
          Back to the catalogue
        </a>
      </p>
      <p className="note">
        Each category has a button in the shop, after “All”. The button shows every product whose category
        contains that name. Your own categories appear once they have a product.
      </p>
      <ul className="rows">
        {categories.map((name, index) => (
          <li className="row row--count" key={name}>
            <div>
              <strong>{name}</strong>
            </div>
            <form className="actions actions--small" method="post" action={CATEGORIES_PATH}>
              <input type="hidden" name="name" value={name} />
              {index > 0 ? <MoveButton name={name} to="up" label="Move up" /> : null}
              {index < categories.length - 1 ? <MoveButton name={name} to="down" label="Move down" /> : null}
              {isCustomCategory(name) ? <MoveButton name={name} to="remove" label="Remove" /> : null}
            </form>
          </li>
        ))}
      </ul>
      <form className="panel inline" method="post" action={CATEGORIES_PATH}>
        <h2>Add a category</h2>
        <div className="field">
          <label htmlFor="name">Name</label>
          <input
            id="name"
            name="name"
            defaultValue={entered}
            maxLength={MAX_CATEGORY_CHARACTERS}
            autoComplete="off"
            required
          />
        </div>
        <button className="button" type="submit" name="to" value="add">
          Add category
        </button>
      </form>
      <form method="post" action={CATEGORIES_PATH}>
        <input type="hidden" name="name" value="" />
        <button className="button button--quiet" type="submit" name="to" value="restore">
          Restore original categories
        </button>
      </form>
    </>
  )
}

function MoveButton({ name, to, label }: { name: string; to: string; label: string }) {
  return (
    <button className="button button--quiet" type="submit" name="to" value={to}>
      {label}
      <span className="visually-hidden">: {name}</span>
    </button>
  )
}
