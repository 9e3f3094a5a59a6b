import type { ProductCard } from '../page-data.ts'
import type { CartProduct } from './cart.ts'
import type { Product } from './catalogue.ts'
import { CART_DESCRIPTION_CHARACTERS } from './previews.ts'

/** A product cut down to what cards and cart show; the description keeps one character more, so that a cut is seen. */
export function cardOf({ id, title, description, price, image }: Product): ProductCard {
  return { id, title, description: description.slice(0, CART_DESCRIPTION_CHARACTERS + 1), price, image }
}

/** A product as the cart keeps it: with all of its fields (§ 3). */
export function cartProductOf(product: Product): CartProduct {
  const { category, rating } = product
  return { ...cardOf(product), category, rating: { rate: rating } }
}
