import assets from 'virtual:client-assets'
import serviceWorker from 'virtual:service-worker'
import { Hono } from 'hono'
import type { ServiceContext } from '#server/context.ts'
import { sha256Hex } from '#server/platform/crypto.ts'
import type { AppEnv } from '#server/platform/http/app-env.ts'
import { type FileWithEtag, respondWithEtag } from '#server/platform/http/file-with-etag.ts'
import { createSecurityHeaders } from '#server/platform/middleware/security-headers.ts'
import { renderSlot } from '#server/platform/page-cache/slots.ts'
import { createBoot, renderDocumentStart, renderStartScript } from '#server/platform/render/document.ts'
import { type OfflineBuild, serializeDataBlock } from '#shared/boot.ts'
import { href, SERVICE_WORKER_PATH } from '#shared/routes.ts'
import { shop, shopProfile } from '#shared/shop.ts'

/** If SERVICE_WORKER is off, the script unregisters itself. */
export function serviceWorkerRoutes(ctx: ServiceContext) {
  const build = ctx.config.SERVICE_WORKER === 'on' ? createOfflineBuild(ctx) : null
  const script = `const build=${serializeDataBlock(build)};\n${serviceWorker.script}`
  let file: FileWithEtag | undefined

  return new Hono<AppEnv>().get(SERVICE_WORKER_PATH, async (c) => {
    file ??= {
      bytes: new TextEncoder().encode(script),
      etag: `"${await sha256Hex(script)}"`,
      type: 'text/javascript; charset=utf-8',
    }
    return respondWithEtag(c, file)
  })
}

function createOfflineBuild(ctx: ServiceContext): OfflineBuild | null {
  if (!serviceWorker.build) return null
  const head = {
    title: shop.name,
    description: shopProfile.description,
    image: { url: '/images/share.png' },
    jsonLd: [],
    isIndexed: false,
  }
  const [start = '', end = ''] = renderDocumentStart(head, renderSlot('boot'), assets, {
    savesData: false,
    banner: '',
  }).split(renderSlot('boot'))
  const boot = createBoot('notFound', ctx, {
    cookieUser: null,
    isSessionRenewalDue: false,
    savesData: false,
    nowMs: 0,
    clock: '',
    timeZone: '',
    year: '',
  })
  return {
    id: serviceWorker.build.id,
    assets: serviceWorker.build.assets.filter((asset) => !assets.accountScripts.includes(asset)),
    accountAssets: assets.accountScripts,
    shell: [start, `${end}</div>${renderStartScript(assets, '', false)}</body></html>`],
    boot,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      // The shell can appear at the URL of an order's page, whose headers are the strictest.
      ...Object.fromEntries(createSecurityHeaders(ctx.config)(href('order', { number: '' }))),
    },
  }
}
