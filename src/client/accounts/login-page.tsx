import { useAtom, useAtomValue, useSetAtom, useStore } from 'jotai'
import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { callApi, preloadCall } from '#client/app/api.ts'
import { bootAtom } from '#client/app/boot.ts'
import { accountDraftAtom } from '#client/app/drafts.ts'
import { isDocumentLoad, navigate, type PageProps, viewAtom } from '#client/app/router/page.ts'
import { WithData } from '#client/app/router/page-data.tsx'
import {
  expiredSessionPathAtom,
  opensRequestedPageAtom,
  requestedPageAtom,
  storeSessionAtom,
  userAtom,
} from '#client/app/session.ts'
import { useHydrated, useUser } from '#client/app/use-user.ts'
import { cartItemCountAtom } from '#client/cart/stored-cart.ts'
import { Field } from '#client/ui/field.tsx'
import { FormCard, FormSuccess } from '#client/ui/form-card.tsx'
import { FormError, SubmitButton } from '#client/ui/form-status.tsx'
import { useForm } from '#client/ui/use-form.ts'
import { REDIRECT_AFTER_LOGIN_MS } from '#shared/accounts/limits.ts'
import type { FormResult } from '#shared/page-data.ts'
import { getPageDefinition, href, matchRoute, type PageName } from '#shared/routes.ts'
import { offerCartOnNextPage } from './cart-after-login.tsx'

const LOGIN_FAILED_MESSAGE = 'Login failed'

const loadCall = () => import('#shared/accounts/contract.ts').then((module) => module.loginCall)

function LoginPage({ data }: PageProps<'login'>) {
  return (
    <FormCard heading="Welcome Back!" art="dresses">
      <LoginReason />
      <CartLinkNotice />
      <WithData source={data} fallback={null}>
        {(posted) => <LoginForm posted={posted} />}
      </WithData>
    </FormCard>
  )
}

const ACCOUNT_FORMS: readonly PageName[] = ['login', 'register', 'forgotPassword']

const LOGIN_REASONS: Partial<Record<PageName, string>> = {
  cart: 'Log in or register to open your cart.',
  checkout: 'Log in or register to check out.',
  order: 'Log in to open your order.',
}
const ACCOUNT_REASON = 'Log in or register to open your account.'

/** Returns the name of the requested page, which opens at once if `opensRequestedPageAtom` says so. */
function useRequestedPage(): PageName | undefined {
  const [guardedPath, setPath] = useAtom(requestedPageAtom)
  const { requestedPath } = useAtomValue(bootAtom)
  const view = useAtomValue(viewAtom)
  const documentPath = view && isDocumentLoad(view) ? requestedPath : null
  const path = guardedPath ?? documentPath
  const isSignedIn = useAtomValue(userAtom) !== null
  const [opensPage, setOpensPage] = useAtom(opensRequestedPageAtom)
  useEffect(() => {
    if (documentPath) setPath(documentPath)
  }, [documentPath, setPath])
  useEffect(() => {
    if (!path || !isSignedIn || !opensPage) return
    setPath(undefined)
    setOpensPage(false)
    navigate(parseLocalPath(path) ?? href('home'), { replace: true })
  }, [path, isSignedIn, opensPage, setPath, setOpensPage])
  return path ? matchRoute(path.split('?')[0] ?? '').name : undefined
}

/** Leaving Login clears the reason, unless the next page is in `ACCOUNT_FORMS` or redirects back to Login. */
function LoginReason() {
  const store = useStore()
  const endedAt = useAtomValue(expiredSessionPathAtom)
  const isSignedIn = useAtomValue(userAtom) !== null
  const requested = useRequestedPage()
  const reason = requested && (LOGIN_REASONS[requested] ?? ACCOUNT_REASON)
  const items = useAtomValue(cartItemCountAtom)

  useEffect(() => {
    return () => {
      const page = store.get(viewAtom)?.location.name ?? 'login'
      const isProtected = getPageDefinition(page).needsLogin && !store.get(userAtom)
      const keepsReason = isProtected || ACCOUNT_FORMS.includes(page)
      if (keepsReason) return
      store.set(expiredSessionPathAtom, () => null)
      store.set(requestedPageAtom, undefined)
    }
  }, [store])

  return (
    <div role="status">
      {endedAt && !isSignedIn && (
        <p className="banner">
          {endedAt.startsWith(href('checkout'))
            ? 'Your session has ended. Please log in again. Your cart and details are saved.'
            : 'Your session has ended. Please log in again. Your cart is saved.'}
        </p>
      )}
      {reason && !endedAt && !isSignedIn && (
        <p className="banner">{`${reason} ${formatSavedItems(items)}`}</p>
      )}
    </div>
  )
}

const CartLinkOutcome = lazy(async () => ({
  default: (await import('#client/cart/cart-link-outcome.tsx')).CartLinkOutcome,
}))

/** Reads storage directly, because `cart-link-outcome.tsx` is loaded only if an outcome is stored. */
function hasLinkOutcome(): boolean {
  try {
    return sessionStorage.getItem('cart-link') !== null
  } catch {
    return false
  }
}

function CartLinkNotice() {
  const [isShown, setShown] = useState(false)
  useEffect(() => setShown(hasLinkOutcome()), [])
  return <Suspense>{isShown && <CartLinkOutcome />}</Suspense>
}

/** The sentences have about the same length, to limit the layout shift once the stored cart has been read. */
function formatSavedItems(items: number): string {
  if (items === 0) return 'Registering takes a minute.'
  return items === 1 ? 'We’ve saved your item.' : `We’ve saved your ${items} items.`
}

const Challenge = lazy(async () => ({ default: (await import('./challenge.tsx')).Challenge }))

function parseSiteKey(body: unknown): string | undefined {
  const { challenge } = (body ?? {}) as { challenge?: { siteKey?: unknown } }
  return typeof challenge?.siteKey === 'string' ? challenge.siteKey : undefined
}

/**
 * After a login, opens the page where the session expired, the order that the shopper looked for, the cart if a link has
 * filled it, or else Home (§ 2).
 */
function LoginForm({ posted }: { posted: FormResult | null }) {
  const store = useStore()
  const storeSession = useSetAtom(storeSessionAtom)
  const setDraft = useSetAtom(accountDraftAtom)
  const endedAt = useAtomValue(expiredSessionPathAtom)
  const requestedPath = useAtomValue(requestedPageAtom)
  const [siteKey, setSiteKey] = useState<string>()
  const tokenRef = useRef<string>(undefined)
  const { state, formProps, fieldProps, submitProps } = useForm({
    fields: ['email', 'password'],
    uncontrolled: ['password'],
    draft: accountDraftAtom,
    posted,
    validate: async (values) => (await import('#shared/accounts/auth-forms.ts')).findLoginProblem(values),
    disablesFields: true,
    prepare: () => preloadCall(loadCall),
    async send(values) {
      const challenge = tokenRef.current
      tokenRef.current = undefined
      const result = await callApi(loadCall, challenge ? { ...values, challenge } : values)
      if (!result.ok) {
        setSiteKey(parseSiteKey(result.body))
        return result.message ?? LOGIN_FAILED_MESSAGE
      }
      storeSession(result.data)
      setDraft(() => ({}))
      offerCartOnNextPage(store)
    },
  })

  if (state.status === 'success') {
    const next = href(hasLinkOutcome() ? 'cart' : 'home')
    const order = requestedPath && matchRoute(requestedPath).name === 'order' ? requestedPath : undefined
    const redirect = { to: parseLocalPath(endedAt ?? order) ?? next, afterMs: REDIRECT_AFTER_LOGIN_MS }
    return <FormSuccess message="Login successful! Redirecting..." redirect={redirect} />
  }
  return (
    <>
      <SignedInNotice isBusy={state.status === 'loading'} />
      <form {...formProps} action={href('login')} className="stack">
        <Field label="Email address" {...fieldProps('email')} type="email" autoComplete="username" />
        <Field label="Password" {...fieldProps('password')} type="password" autoComplete="current-password" />
        <FormError state={state} />
        {siteKey && state.status === 'error' && (
          <Suspense>
            <Challenge
              siteKey={siteKey}
              onSolved={(solved) => {
                tokenRef.current = solved
              }}
            />
          </Suspense>
        )}
        <SubmitButton {...submitProps} label="Login" busyLabel="Logging in..." />
      </form>
      <nav aria-label="Account">
        <p className="form-card__links">
          <a href={href('forgotPassword')}>Forgot Password?</a>
        </p>
        <a className="button button--quiet button--wide" href={href('register')}>
          Register
        </a>
      </nav>
    </>
  )
}

function parseLocalPath(path: string | null | undefined): string | undefined {
  return path && /^\/(?![/\\])/.test(path) ? path : undefined
}

/** Shows the earlier user while a login is being sent, because the new user is stored before the form is hidden. */
function SignedInNotice({ isBusy }: { isBusy: boolean }) {
  const current = useUser()
  const earlierRef = useRef(current)
  useEffect(() => {
    if (!isBusy) earlierRef.current = current
  }, [current, isBusy])
  const user = isBusy ? earlierRef.current : current
  const hasCart = useAtomValue(cartItemCountAtom) > 0
  const isHydrated = useHydrated()
  if (!user) return null
  const [name, domain = ''] = user.email.split(/(?=@)/)
  return (
    <>
      <div className="banner banner--success login__signed-in stack">
        <p>
          {`You’re logged in as ${name}`}
          <wbr />
          {`${domain}.`}
        </p>
        <p className="form-card__links">
          {isHydrated && hasCart && (
            <a className="button" href={href('cart')}>
              Open your cart
            </a>
          )}
          <a className={isHydrated && hasCart ? undefined : 'button'} href={href('shop')}>
            Go shopping
          </a>
          <a href={href('dashboard')}>Your dashboard</a>
        </p>
      </div>
      <h2 className="heading-s">Log in to another account</h2>
    </>
  )
}

export { LoginPage as Page }
