import { openDatabase } from '#server/db/client.ts'
import { runTool } from './command.ts'
import { migrate, openLocalDatabase } from './local-database.ts'
import { STATE_FOLDER } from './local-shop.ts'
import { databaseOver, remoteExecute } from './shop/remote-database.ts'
import { type Place, runShop } from './shop/run-shop.ts'
import { requireConfig } from './wrangler.ts'

let close = async () => {}

/** The database a command is about: this machine's, migrated, or a remote one as it is. */
async function open({ remote, environment }: Place) {
  if (remote) return { db: openDatabase(databaseOver(remoteExecute(environment))), clock: Date.now }
  await requireConfig()
  const local = await openLocalDatabase(STATE_FOLDER)
  close = local.close
  await migrate(local.db)
  return { db: openDatabase(local.db), clock: Date.now }
}

// `npm run shop -- …`: an operator's commands.
await runTool(async () => {
  try {
    console.log(await runShop(process.argv.slice(2), open))
  } finally {
    await close()
  }
})
