import type { Catalogue, Product, SizeScale } from './catalogue.ts'
import type { Audience } from './shop-filter.ts'
import { toWords } from './words.ts'

const KIDS_WORDS =
  'kid kids kidswear child children childrens childrenswear baby babies babywear newborn newborns infant infants ' +
  'toddler toddlers boy boys boyswear girl girls girlswear teen teens preschool school schools schoolwear nursery toy ' +
  'toys feeding weaning mtoto watoto msichana wasichana mvulana wavulana'
const WOMEN_WORDS =
  'woman women womens womenswear lady ladies ladieswear mom moms mum mums mama mamas mother mothers maternity nursing ' +
  'breast breastfeeding mwanamke wanawake'
const MEN_WORDS = 'man men mens menswear gent gents dad dads mwanaume wanaume'

const AUDIENCES_BY_WORD = new Map<string, readonly Audience[]>([
  ...KIDS_WORDS.split(' ').map((word) => [word, ['Kids']] as const),
  ...WOMEN_WORDS.split(' ').map((word) => [word, ['Women']] as const),
  ...MEN_WORDS.split(' ').map((word) => [word, []] as const),
])

/** Scales with `isCertain` always count. The others count only if the category says nothing about the audience. */
const AUDIENCES_BY_SCALE: Readonly<
  Record<SizeScale, { audiences: readonly Audience[]; isCertain: boolean }>
> = {
  age: { audiences: ['Kids'], isCertain: true },
  'child-shoe': { audiences: ['Kids'], isCertain: true },
  'mother-and-child': { audiences: ['Kids', 'Women'], isCertain: true },
  head: { audiences: ['Kids'], isCertain: false },
  clothing: { audiences: ['Women'], isCertain: false },
  shoe: { audiences: ['Women'], isCertain: false },
}

const audiencesByProduct = new WeakMap<object, readonly Audience[]>()

/** Combines the category's words and the size scale. Returns no audience if neither names one. */
export function listAudiences(product: Pick<Product, 'category' | 'sizing'>): readonly Audience[] {
  const audiences = audiencesByProduct.get(product) ?? readAudiences(product)
  audiencesByProduct.set(product, audiences)
  return audiences
}

function readAudiences({ category, sizing }: Pick<Product, 'category' | 'sizing'>): readonly Audience[] {
  const named = toWords(category).flatMap((word) => {
    const audiences = AUDIENCES_BY_WORD.get(word)
    return audiences ? [audiences] : []
  })
  const scale = sizing && AUDIENCES_BY_SCALE[sizing.scale]
  const isScaleUsed = scale && (scale.isCertain || named.length === 0)
  return [...new Set([...named.flat(), ...(isScaleUsed ? scale.audiences : [])])]
}

/** Returns what a category has besides its audience: `clothing` for Children's Clothing and Women's Clothing. */
export function withoutAudienceWords(category: string): string {
  return toWords(category)
    .filter((word) => !AUDIENCES_BY_WORD.has(word))
    .join(' ')
}

/** Whether some products are only for children, and others only for women. */
export function isSplitByAudience(products: Catalogue): boolean {
  const isOnlyFor = (audience: Audience) => (product: Product) => {
    const audiences = listAudiences(product)
    return audiences.length > 0 && audiences.every((other) => other === audience)
  }
  return products.some(isOnlyFor('Kids')) && products.some(isOnlyFor('Women'))
}
