import { readFileSync, writeFileSync } from 'node:fs'
import { readLatestVersion, readVersionText } from '#server/catalogue/catalogue-versions.ts'
import { readStoredDraft } from '#server/catalogue/draft.ts'
import { hasChanges, publishFile } from '#server/catalogue/publish-draft.ts'
import { ToolError } from '../command.ts'
import { actor, type ShopCommand } from './shop-command.ts'

const CATALOGUE_FILE = 'public/Items.json'

export const pushCatalogueCommand: ShopCommand = {
  summary: `publish ${CATALOGUE_FILE}; customers see it within a minute, without a deployment`,
  async run(_input, ctx) {
    const text = readFileSync(CATALOGUE_FILE, 'utf8')
    const draft = await readStoredDraft(ctx)
    if (draft && hasChanges(draft))
      throw new ToolError("The office's draft has unpublished changes. Publish or discard them first.")
    const base = (await readLatestVersion(ctx))?.number ?? 0
    const changes = `${CATALOGUE_FILE}, from a terminal`
    const published = await publishFile({ text, base, actor, changes }, ctx)
    if (!published.ok) throw new ToolError(published.error.message)
    const { number, isPointed } = published.data
    const when = isPointed ? 'within a minute' : 'within five minutes'
    return { text: `Published version ${number}. Customers will see it ${when}.`, json: published.data }
  },
}

export const pullCatalogueCommand: ShopCommand = {
  summary: `write the published catalogue to ${CATALOGUE_FILE}`,
  async run(_input, ctx) {
    const latest = await readLatestVersion(ctx)
    if (!latest)
      throw new ToolError(`Nothing has been published yet. The catalogue is ${CATALOGUE_FILE} as deployed.`)
    const { number, products } = latest
    const { items } = await readVersionText(latest, ctx)
    writeFileSync(CATALOGUE_FILE, `${JSON.stringify(JSON.parse(items), null, 2)}\n`)
    const text = `${CATALOGUE_FILE} is now version ${number}, with ${products} ${products === 1 ? 'product' : 'products'}.`
    return { text, json: { number, products } }
  },
}
