import { atom } from 'jotai'
import { bootAtom } from '#client/app/boot.ts'
import { BOOT_BLOCK_ID, parseBoot } from '#shared/boot.ts'
import { CATEGORIES, type Category } from '#shared/catalogue/catalogue.ts'
import type { ShopFilter } from '#shared/catalogue/shop-filter.ts'

export const categoriesAtom = atom((get) => get(bootAtom).categories ?? CATEGORIES)

/** Works only in the browser, but needs no store. */
export function listCategories(): readonly Category[] {
  const boot = parseBoot(document.getElementById(BOOT_BLOCK_ID)?.textContent ?? '{}')
  return boot.categories ?? CATEGORIES
}

/** The values in the filter form while it is open. Searching, sorting and choosing a category apply them too. */
export const enteredFilterAtom = atom<ShopFilter>()
