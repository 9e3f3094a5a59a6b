import type { Result } from '#server/platform/result.ts'
import { CATEGORIES, type Category } from '#shared/catalogue/catalogue.ts'
import { isCategoryName, isCustomCategory, parseStoredCategories } from '#shared/catalogue/categories.ts'
import type { Actor } from '#shared/team/roles.ts'
import { changeDraft, type Draft, type DraftContext } from './draft.ts'

const CONTENT_NAME = 'categories'
const MAX_CATEGORIES = 40

export function parseDraftCategories({ content }: Pick<Draft, 'content'>): readonly Category[] {
  const value = content.find(({ name }) => name === CONTENT_NAME)?.value
  return value === undefined ? CATEGORIES : parseStoredCategories(JSON.parse(value))
}

export type CategoryChange =
  | { add: string }
  | { remove: string }
  | { move: string; to: 'up' | 'down' }
  | { restore: true }

type CategoryError = { code: 'invalid' | 'taken' | 'too_many' | 'unknown' | 'conflict' }

export async function changeCategories(
  { change, actor }: { change: CategoryChange; actor: Actor },
  ctx: DraftContext,
): Promise<Result<undefined, CategoryError>> {
  const changed = await changeDraft<CategoryError>(
    {
      actor,
      change(draft) {
        const [, ...before] = parseDraftCategories(draft)
        const after = applyCategoryChange(before, change)
        if (!Array.isArray(after)) return { ok: false, error: after }
        const isDefault = after.join() === CATEGORIES.slice(1).join()
        const value = isDefault ? null : JSON.stringify(after)
        const audit = { action: 'catalogue.categories', subject: 'draft', to: after.join(', ') } as const
        return { ok: true, data: { content: [{ name: CONTENT_NAME, value }], audit } }
      },
    },
    ctx,
  )
  return changed.ok ? { ok: true, data: undefined } : changed
}

function applyCategoryChange(before: readonly string[], change: CategoryChange): string[] | CategoryError {
  if ('restore' in change) return CATEGORIES.slice(1)
  if ('add' in change) {
    const name = change.add.replaceAll(/\s+/g, ' ').trim()
    if (!isCategoryName(name)) return { code: 'invalid' }
    const isTaken = ['All', ...before].some((other) => other.toLowerCase() === name.toLowerCase())
    if (isTaken) return { code: 'taken' }
    return before.length >= MAX_CATEGORIES ? { code: 'too_many' } : [...before, name]
  }
  const name = 'remove' in change ? change.remove : change.move
  const index = before.indexOf(name)
  if (index < 0 || ('remove' in change && !isCustomCategory(name))) return { code: 'unknown' }
  const others = before.filter((other) => other !== name)
  if ('remove' in change) return others
  const to = change.to === 'up' ? Math.max(index - 1, 0) : index + 1
  return [...others.slice(0, to), name, ...others.slice(to)]
}
