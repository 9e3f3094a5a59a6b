import * as z from 'zod/mini'
import { imageUrlSchema, priceSchema } from '#shared/catalogue/catalogue-schema.ts'
import {
  type Cart,
  type CartLine,
  MAX_CART_LINES,
  MAX_QTY,
  PLACEHOLDER_IMAGE,
  toCartProduct,
} from './cart.ts'

/** Limits the work of parsing a damaged cart. */
const MAX_STORED_ENTRIES = 1000
const MAX_IMAGE_URL_CHARACTERS = 2000

const requiredTextSchema = z.string().check(z.trim(), z.minLength(1))
const optionalTextSchema = z.catch(z.optional(requiredTextSchema), undefined)

const storedLineSchema = z.pipe(
  z.object({
    id: z.int().check(z.positive()),
    title: optionalTextSchema,
    name: optionalTextSchema,
    description: z.catch(z.string(), ''),
    price: priceSchema,
    compareAtPrice: z.catch(z.optional(priceSchema), undefined),
    image: z.catch(imageUrlSchema.check(z.maxLength(MAX_IMAGE_URL_CHARACTERS)), PLACEHOLDER_IMAGE),
    size: optionalTextSchema,
    isSizeAssumed: z.catch(z.optional(z.literal(true)), undefined),
    category: optionalTextSchema,
    rating: z.catch(z.optional(z.object({ rate: z.number() })), undefined),
    qty: z.int().check(z.positive(), z.maximum(MAX_QTY)),
  }),
  z.transform(({ name, title = name, qty, ...product }, { issues, value }): CartLine => {
    if (title !== undefined) return { ...toCartProduct({ ...product, title }), qty }
    issues.push({ code: 'custom', message: 'must have a title or a name', path: ['title'], input: value })
    return z.NEVER
  }),
)

/** Never throws: invalid data becomes an empty cart, and invalid lines are dropped. */
export function parseStoredCart(stored: string | null): Cart {
  const entries = parseJson(stored)
  if (!Array.isArray(entries)) return []
  const lines = new Map<number, CartLine>()
  for (const entry of entries.slice(0, MAX_STORED_ENTRIES)) {
    const { success, data } = storedLineSchema.safeParse(entry)
    if (success && !lines.has(data.id)) lines.set(data.id, data)
    if (lines.size === MAX_CART_LINES) break
  }
  return [...lines.values()]
}

function parseJson(stored: string | null): unknown {
  try {
    return JSON.parse(stored ?? 'null')
  } catch {
    return undefined
  }
}
