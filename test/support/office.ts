import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { createOffice } from '#office/app.tsx'
import { type OfficeContext, parseOfficeConfig } from '#office/context.ts'
import { createApp } from '#server/app.ts'
import { createFixedCatalogue } from '#server/catalogue/published-catalogue.ts'
import { promptPayment } from '#server/orders/prompt-payment.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { signOrderUrl } from '#server/platform/auth/signed-link.ts'
import { COMMAND_LINE_ACTOR } from '#server/platform/db/audit.ts'
import { setMember } from '#server/team/members.ts'
import type { Role } from '#shared/team/roles.ts'
import { NOW_MS, testContext } from './context.ts'
import { readText } from './pdf.ts'

export const OFFICE_ORIGIN = 'https://office.pamba.test'
export const ACCESS_TEAM = 'pamba-team'
export const ACCESS_AUDIENCE = 'ab'.repeat(32)

export const accessKey = await generateKeyPair('RS256', { extractable: true })
export const ACCESS_KEY_ID = 'key-1'
const keySet = { keys: [{ ...(await exportJWK(accessKey.publicKey)), kid: ACCESS_KEY_ID, alg: 'RS256' }] }

export const ACCESS_CLAIMS: JWTPayload = {
  iss: `https://${ACCESS_TEAM}.cloudflareaccess.com`,
  aud: [ACCESS_AUDIENCE],
  email: 'achieng@pamba.test',
  iat: NOW_MS / 1000 - 60,
  exp: NOW_MS / 1000 + 3600,
}

export function signAccessToken(claims: JWTPayload = ACCESS_CLAIMS): Promise<string> {
  return new SignJWT(claims)
    .setProtectedHeader({ alg: 'RS256', kid: ACCESS_KEY_ID })
    .sign(accessKey.privateKey)
}

type TestOfficeContext = OwnerContext<OfficeContext> &
  ReturnType<typeof testContext> & { housekeepingRuns: () => number }

export function officeContext(overrides: Partial<OfficeContext> = {}): TestOfficeContext {
  let housekeepingRuns = 0
  const { config: _, ...ctx } = testContext()
  return {
    ...ctx,
    config: parseOfficeConfig({
      SITE_ORIGIN: 'https://pamba.test',
      ACCESS_TEAM: ACCESS_TEAM,
      ACCESS_AUDIENCE: ACCESS_AUDIENCE,
      OWNER_EMAIL: String(ACCESS_CLAIMS.email),
    }),
    fetch: async () => Response.json(keySet),
    shop: { fetch: async () => new Response(null, { status: 404 }) },
    renderPreview: async (url, { items, content }) => {
      const source = await createFixedCatalogue(items, content)
      const app = createApp(testContext({ catalogue: source, publishedCatalogue: source }))
      return app.request(new URL(url, 'https://pamba.test').href)
    },
    createOrderLink: (number) => signOrderUrl(new URL(`https://pamba.test/order/${number}`), testContext()),
    promptPayment: (input) => promptPayment(input, testContext()),
    runHousekeeping: async () => {
      housekeepingRuns += 1
    },
    showLatestVersion: async () => {},
    readPushKey: async () => 'B'.repeat(87),
    housekeepingRuns: () => housekeepingRuns,
    ...overrides,
  } as TestOfficeContext
}

const offices = new WeakMap<OfficeContext, ReturnType<typeof createOffice>>()

type Visit = { status: number; headers: Headers; text: string; location: string | null }

/** With `files`, every posted form sends these fields instead of its own. */
export async function createOfficeClient(
  ctx: OfficeContext,
  email = String(ACCESS_CLAIMS.email),
  files?: FormData,
  role: Role = 'owner',
) {
  if (email !== ACCESS_CLAIMS.email) await setMember({ email, role, actor: COMMAND_LINE_ACTOR }, ctx)
  const office = offices.get(ctx) ?? createOffice(ctx)
  offices.set(ctx, office)
  const identity = { 'Cf-Access-Jwt-Assertion': await signAccessToken({ ...ACCESS_CLAIMS, email }) }
  const visit = async (path: string, init: RequestInit = {}): Promise<Visit> => {
    const response = await office.request(new URL(path, OFFICE_ORIGIN).href, {
      ...init,
      headers: { ...identity, ...init.headers },
    })
    const { status, headers } = response
    return { status, headers, text: await readText(response), location: headers.get('Location') }
  }
  return {
    get: (path: string) => visit(path),
    post: (path: string, fields: Record<string, string>) =>
      visit(path, {
        method: 'POST',
        headers: {
          Origin: OFFICE_ORIGIN,
          ...(files ? {} : { 'Content-Type': 'application/x-www-form-urlencoded' }),
        },
        body: files ?? new URLSearchParams(fields).toString(),
      }),
  }
}
