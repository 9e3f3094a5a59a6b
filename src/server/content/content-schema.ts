import * as z from 'zod/mini'
import { FEATURED_PRODUCTS } from '#shared/catalogue/catalogue-views.ts'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import { isAllowedLink, RICH_TEXT_TAGS, type RichTextNode } from '#shared/content/content.ts'
import { formatMoney, formatNumber, kshToCents } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { parseShopDay } from '#shared/time.ts'

const MAX_TEXT_CHARACTERS = 10_000
const MAX_LINE_CHARACTERS = 200
const MAX_DELIVERY_TIME_CHARACTERS = 40
const MAX_WORD_ROWS = 500
const MAX_WORDS = 60
const MAX_WORD_CHARACTERS = 60
const MAX_CASH_KSH = 1_000_000
const CASH_LIMIT_ERROR = `must be between ${shop.currency} 1 and ${formatMoney(kshToCents(MAX_CASH_KSH))}, in whole shillings`

const createLimitedTextSchema = (maxCharacters: number) =>
  z.string().check(
    z.refine(
      (value) => value.isWellFormed(),
      'contains a character we can’t store. Please delete or retype it',
    ),
    z.maxLength(maxCharacters, `must be at most ${formatNumber(maxCharacters)} characters`),
  )

const nodeSchema: z.ZodMiniType<RichTextNode> = z.lazy(() =>
  z.union([
    z.string(),
    z.tuple([z.enum(RICH_TEXT_TAGS), z.array(nodeSchema)]),
    z.tuple([z.literal('a'), z.array(nodeSchema), z.string().check(z.refine(isAllowedLink))]),
  ]),
)
/** A text as Markdown and as the nodes rendered from it, so that the shop's Worker needs no Markdown library. */
const markdownSchema = z.object({
  markdown: createLimitedTextSchema(MAX_TEXT_CHARACTERS),
  nodes: z.array(nodeSchema),
})
const lineSchema = createLimitedTextSchema(MAX_LINE_CHARACTERS)
const createRequiredLineSchema = (problem: string) => lineSchema.check(z.minLength(1, problem))

const daySchema = lineSchema.check(
  z.refine((value) => value === '' || parseShopDay(value, 0) !== undefined, 'must be a date'),
)
const webUrlSchema = lineSchema.check(
  z.regex(/^https?:\/\/[^\s/]+\.[^\s]+$/, 'must be a web address that starts with https://'),
)
const phoneSchema = lineSchema.check(
  z.regex(/^(\+?[\d ]{7,20})?$/, 'must be a phone number, such as 0712 345 678'),
)
const wordsSchema = z
  .array(createLimitedTextSchema(MAX_WORD_CHARACTERS).check(z.minLength(1, 'must not be empty')))
  .check(
    z.minLength(1, 'must have at least one word'),
    z.maxLength(MAX_WORDS, `must have at most ${MAX_WORDS} words`),
  )

/** A missing value means the default. */
export const CONTENT_SCHEMAS = {
  story: markdownSchema,
  philosophy: markdownSchema,
  sizes: markdownSchema,
  privacy: markdownSchema,
  delivery: markdownSchema,
  returns: markdownSchema,
  hours: markdownSchema,
  banner: z
    .object({
      markdown: createRequiredLineSchema('is missing'),
      nodes: z.array(nodeSchema),
      fromDay: daySchema,
      untilDay: daySchema,
    })
    .check(
      z.refine(({ fromDay, untilDay }) => !fromDay || !untilDay || fromDay <= untilDay, {
        error: 'must not be before the first day',
        path: ['untilDay'],
      }),
    ),
  hero: z.object({
    image: z.string().check(z.regex(/^\/photos\/[\w-]{8,16}\/640\.jpg$/, 'is missing')),
    alt: createRequiredLineSchema('is missing'),
  }),
  deliveryTime: z.object({
    text: createLimitedTextSchema(MAX_DELIVERY_TIME_CHARACTERS).check(z.minLength(1, 'is missing')),
  }),
  featured: z.array(z.int().check(z.positive())).check(
    z.minLength(1, 'must include at least one product'),
    z.maxLength(FEATURED_PRODUCTS, `are limited to ${FEATURED_PRODUCTS}`),
    z.refine((ids) => new Set(ids).size === ids.length, 'must all be different'),
  ),
  contact: z.object({
    email: lineSchema.check(z.email('must be an email address')),
    phone: phoneSchema,
    whatsapp: lineSchema.check(
      z.regex(/^(\d{9,15})?$/, 'must be digits only, with the country code, such as 254712345678'),
    ),
    social: webUrlSchema,
    code: webUrlSchema,
    calendar: webUrlSchema,
  }),
  payments: z
    .object({
      cashOnDelivery: z.boolean(),
      cashMaxKsh: z.nullable(
        z
          .int(CASH_LIMIT_ERROR)
          .check(z.minimum(1, CASH_LIMIT_ERROR), z.maximum(MAX_CASH_KSH, CASH_LIMIT_ERROR)),
      ),
      cashCounties: z.array(z.enum(COUNTIES)),
      payByHand: z.boolean(),
    })
    .check(
      z.refine(({ cashOnDelivery, cashMaxKsh }) => !cashOnDelivery || cashMaxKsh !== null, {
        error: CASH_LIMIT_ERROR,
        path: ['cashMaxKsh'],
      }),
      z.refine(({ cashOnDelivery, cashCounties }) => !cashOnDelivery || cashCounties.length > 0, {
        error: 'must include at least one county',
        path: ['cashCounties'],
      }),
    ),
  searchWords: z
    .array(
      z.object({
        words: wordsSchema,
        finds: wordsSchema,
        except: z.optional(wordsSchema),
        isSimilar: z.optional(z.literal(true)),
      }),
    )
    .check(z.maxLength(MAX_WORD_ROWS, `are limited to ${MAX_WORD_ROWS} rules`)),
}

export type ContentName = keyof typeof CONTENT_SCHEMAS
export type ContentValues = { [Name in ContentName]: z.infer<(typeof CONTENT_SCHEMAS)[Name]> }

export const CONTENT_NAMES = Object.keys(CONTENT_SCHEMAS) as ContentName[]

export function isContentName(name: string): name is ContentName {
  return Object.hasOwn(CONTENT_SCHEMAS, name)
}

/** Omits unknown and invalid values, so that their defaults apply. */
export function parseContentValues(json: string | null): Partial<ContentValues> {
  const values = json === null ? {} : z.record(z.string(), z.unknown()).parse(JSON.parse(json))
  const valid = CONTENT_NAMES.flatMap((name) => {
    const { success, data } = CONTENT_SCHEMAS[name].safeParse(values[name])
    return success ? [[name, data]] : []
  })
  return Object.fromEntries(valid)
}
