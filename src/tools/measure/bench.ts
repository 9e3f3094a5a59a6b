import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { build } from '../build.ts'
import { runTool, ToolError } from '../command.ts'
import { ensureLocalSecrets, prepareDatabase, serveShop } from '../local-shop.ts'
import { findFreePort } from '../ports.ts'
import { measureBrowserRows } from './browser-rows.ts'
import { startEdgeProxy } from './edge-proxy.ts'
import { measureLighthouseRows } from './lighthouse-rows.ts'
import { copyWithCatalogue } from './measured-shop.ts'
import { measureOfficeRows } from './office-rows.ts'
import { buildNaive } from './references.ts'
import { type Report, startReport } from './report.ts'
import { measureServerRows } from './server-rows.ts'
import { reportTestedRows } from './tested-rows.ts'

async function measure(workFolder: string, report: Report): Promise<void> {
  report.step('Building')
  ensureLocalSecrets()
  await build()
  const clientFolder = copyWithCatalogue('usual', path.resolve('dist/client'), workFolder)
  const naive = await buildNaive(process.cwd(), workFolder, clientFolder)
  await measureServerRows(workFolder, naive.server, report)
  await reportTestedRows(workFolder, report)
  await measureOfficeRows(workFolder, report)

  const stateFolder = path.join(workFolder, 'state')
  await prepareDatabase(stateFolder)
  const onLog = () => {}
  const shop = await serveShop({ port: await findFreePort(), stateFolder, assetsFolder: clientFolder, onLog })
  const naiveShop = await serveShop({
    ...{ port: await findFreePort(), stateFolder: `${stateFolder}-naive`, onLog },
    ...{ assetsFolder: naive.client, modulesFolder: naive.server },
  })
  const front = await startEdgeProxy(shop.url)
  const naiveFront = await startEdgeProxy(naiveShop.url)
  try {
    const cpuSlowdown = await measureLighthouseRows(front.url, naiveFront.url, report)
    await measureBrowserRows(front, cpuSlowdown, report)
  } finally {
    for (const each of [front, naiveFront, shop, naiveShop]) await each.close()
  }
}

await runTool(async () => {
  const report = startReport()
  const workFolder = mkdtempSync(path.join(tmpdir(), 'pamba-bench-'))
  try {
    await measure(workFolder, report)
  } finally {
    rmSync(workFolder, { recursive: true, force: true })
  }
  const missedRows = report.rows.filter(({ isMet }) => !isMet)
  if (missedRows.length > 0)
    throw new ToolError(`Missed: ${missedRows.map(({ id, what }) => `${id} ${what}`).join('; ')}.`)
  console.log(`All ${report.rows.length} rows are within their budgets.`)
})
