import { readPublishedCatalogue } from '#server/catalogue/catalogue-versions.ts'
import {
  auditLog,
  catalogueDraft,
  catalogueVersions,
  draftContent,
  draftProducts,
  stock,
} from '#server/platform/db/schema.ts'
import type { CatalogueEntry } from '#shared/catalogue/catalogue-schema.ts'
import { createMemoryStore } from './context.ts'
import { createOfficeClient, officeContext } from './office.ts'

export const product = (id: number, title: string, price = 100, rest: object = {}) => ({
  id,
  title,
  description: 'Soft.',
  price,
  image: `/images/products/${id}.svg`,
  category: 'Toys',
  rating: { rate: 4 },
  ...rest,
})
export const SIZED_PRODUCT = product(2, 'Kikoi dress', 2000, {
  scale: 'clothing',
  sizes: [
    { id: 2, label: 'S' },
    { id: 7, label: 'M', price: 2100 },
  ],
})
export const CATALOGUE_ITEMS = [product(1, 'Wooden cow'), SIZED_PRODUCT, product(3, 'Rattle')]

export async function openCatalogueOffice(items: object[] = CATALOGUE_ITEMS) {
  const entries = new Map<string, string>()
  const ctx = officeContext({
    catalogueStore: createMemoryStore(entries),
    shop: { fetch: async () => Response.json(items) },
  })
  await ctx.db.batch([
    ctx.db.delete(catalogueVersions),
    ctx.db.delete(catalogueDraft),
    ctx.db.delete(draftProducts),
    ctx.db.delete(draftContent),
    ctx.db.delete(auditLog),
    ctx.db.delete(stock),
  ])
  const client = await createOfficeClient(ctx)
  const readFields = async (id: number | 'new') => {
    const { text } = await client.get(`/catalogue/products/${id}`)
    const form = /<form class="panel product-form".*?<\/form>/s.exec(text)?.[0] ?? ''
    const inputs = [...form.matchAll(/<input[^>]*>/g)]
      .map(([tag]) => tag)
      .filter((tag) => !tag.includes('type="checkbox"') || tag.includes('checked'))
      .map((tag) => [/name="([^"]*)"/.exec(tag)?.[1], /value="([^"]*)"/.exec(tag)?.[1] ?? ''])
    const selects = [...form.matchAll(/<select[^>]*name="([^"]*)".*?<\/select>/gs)].map(([tag, name]) => [
      name,
      /<option value="([^"]*)" selected/.exec(tag)?.[1] ?? '',
    ])
    const texts = [...form.matchAll(/<textarea[^>]*name="([^"]*)"[^>]*>([^<]*)/g)].map(
      ([, ...field]) => field,
    )
    return Object.fromEntries([...inputs, ...selects, ...texts]) as Record<string, string>
  }
  const readPublished = async () => JSON.parse((await readPublishedCatalogue(ctx)).items) as CatalogueEntry[]
  return {
    ...client,
    ctx,
    entries,
    readFields,
    readPublished,
    save: async (id: number | 'new', changes: Record<string, string>) =>
      client.post(`/catalogue/products/${id}`, { ...(await readFields(id)), ...changes }),
    publish: async () => {
      const { base, revision } = await readPublishForm(client.get)
      return client.post('/catalogue/publish', { base, revision })
    },
    discard: async () => {
      const { text } = await client.get('/catalogue/discard')
      const revision = /name="revision" value="(\d+)"/.exec(text)?.[1] ?? ''
      return client.post('/catalogue/discard', { revision })
    },
    uploadFile: async (path: string, name: string, text: string) => {
      const body = new FormData()
      body.set('file', new File([text], name))
      const { post } = await createOfficeClient(ctx, 'achieng@pamba.test', body)
      return post(path, {})
    },
    readAudit: async () =>
      (await ctx.db.select().from(auditLog)).map(({ action, from, to }) => [action, from, to]),
  }
}

export async function readPublishForm(get: (path: string) => Promise<{ text: string }>) {
  const { text } = await get('/catalogue/publish')
  const value = (name: string) => new RegExp(`name="${name}" value="(\\d+)"`).exec(text)?.[1] ?? ''
  return { base: value('base'), revision: value('revision'), text }
}
