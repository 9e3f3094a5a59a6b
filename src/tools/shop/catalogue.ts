import { readFileSync, writeFileSync } from 'node:fs'
import { parseCatalogueFile } from '#server/catalogue/catalogue-source.ts'
import { latestVersion } from '#server/catalogue/catalogue-versions.ts'
import { readStoredDraft } from '#server/catalogue/draft.ts'
import { hasChanges, publishFile } from '#server/catalogue/publish-draft.ts'
import { versionKey } from '#server/catalogue/published-catalogue.ts'
import { COMMAND_LINE } from '#server/platform/db/audit.ts'
import { ToolError } from '../command.ts'
import type { ShopCommand } from './shop-command.ts'

const FILE = 'public/Items.json'
export const pushCatalogue: ShopCommand = {
  usage: 'catalogue push',
  summary: `publish ${FILE}; shoppers see it within a minute, without a deployment`,
  words: [0, 0],
  async run(_input, context) {
    const text = readFileSync(FILE, 'utf8')
    const draft = await readStoredDraft(context)
    if (draft && hasChanges(draft))
      throw new ToolError("The office's draft has unpublished changes. Publish or discard them first.")
    const base = (await latestVersion(context))?.number ?? 0
    const changes = `${FILE}, from a terminal`
    const published = await publishFile({ text, base, actor: COMMAND_LINE, changes }, context)
    if (!published.ok) throw new ToolError(published.error.message)
    const { number, isPointed } = published.data
    const when = isPointed ? 'within a minute' : 'within five minutes'
    return { text: `Published version ${number}. Shoppers will see it ${when}.`, json: published.data }
  },
}

export const pullCatalogue: ShopCommand = {
  usage: 'catalogue pull',
  summary: `write the published catalogue to ${FILE}`,
  words: [0, 0],
  async run(_input, context) {
    const latest = await latestVersion(context)
    if (!latest) throw new ToolError(`Nothing has been published yet. The catalogue is ${FILE} as deployed.`)
    const text = await context.catalogueStore.get(versionKey(latest.hash))
    const file = text === null ? undefined : await parseCatalogueFile(text).catch(() => undefined)
    if (text === null || file?.version !== latest.hash)
      throw new ToolError(`Couldn't read version ${latest.number} from KV.`)
    writeFileSync(FILE, `${JSON.stringify(JSON.parse(text), null, 2)}\n`)
    const { number, products } = latest
    return {
      text: `${FILE} is now version ${number}, with ${products} products.`,
      json: { number, products },
    }
  },
}
