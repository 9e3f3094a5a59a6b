import { useAtom, useAtomValue, useSetAtom, useStore } from 'jotai'
import { useEffect, useLayoutEffect, useRef, useState } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { messageBarAtom, navigate } from '#client/app/router/page.ts'
import { useCart } from '#client/cart/stored-cart.ts'
import { Totals } from '#client/cart/totals.tsx'
import { ErrorBanner } from '#client/ui/form-status.tsx'
import { focusHeading, useShownHeading } from '#client/ui/use-shown-heading.ts'
import { formatMoney } from '#shared/format.ts'
import type { FormResult } from '#shared/page-data.ts'
import type { PaymentState } from '#shared/payments/contract.ts'
import { formatUnbrokenPhone } from '#shared/payments/payment.ts'
import {
  getProviderDescriptor,
  hasFlow,
  type PaymentFlow,
  type PaymentMethod,
} from '#shared/payments/providers.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'
import { CancelOrder } from './cancel-order.tsx'
import {
  formatByMethod,
  PAYMENT_HEADING_ID,
  PayAgain,
  type PaymentChoice,
  PaymentMessage,
} from './pay-with.tsx'
import {
  cancelOrderAtom,
  isConnectionLostAtom,
  isRedirectingToPayAtom,
  payAgainAtom,
  type ShownOrder,
  selectedProviderAtom,
} from './shown-order.ts'
import { watchPayment } from './watch-payment.ts'

const CHOICE_LABELS: Record<PaymentChoice, string> = {
  phone: 'Use another phone',
  method: 'Pay another way',
}

type PaymentPanelProps = { shown: ShownOrder; payment: PaymentState; posted: FormResult | null }

export function PaymentPanel({ shown, payment, posted }: PaymentPanelProps) {
  const { status, message, redirectTo, expiresInMs } = payment
  const store = useStore()
  const isConnectionLost = useAtomValue(isConnectionLostAtom)
  const headingRef = useShownHeading([status, payment.provider, payment.phone, message].join(), shown.isNew)
  const isPayable = status === 'waiting' || status === 'failed'
  const isOffline = isConnectionLost && isPayable
  const attempt = [status, payment.provider, payment.phone].join()
  const [choice, setChoice] = useState<{ attempt: string; choosing: PaymentChoice | undefined }>()
  // A new attempt collapses the choice. An effect could undo a click made during hydration.
  const choosing = choice?.attempt === attempt ? choice.choosing : undefined
  const prompt = getPrompt(payment)
  const earlierPayment = prompt
    ? `approve the prompt on ${formatUnbrokenPhone(prompt.phone)}`
    : redirectTo && `finish paying on ${getProviderDescriptor(payment.provider).name}’s page`
  const [flashMessage, setFlashMessage] = useAtom(messageBarAtom)
  useEffect(() => watchPayment(store), [store])
  useProviderRedirect(payment)

  // The panel has its own sentence about the connection.
  useLayoutEffect(() => {
    if (isOffline && flashMessage) setFlashMessage('')
  }, [isOffline, flashMessage, setFlashMessage])

  return (
    <section className="panel stack payment" aria-labelledby={PAYMENT_HEADING_ID}>
      <div className="stack stack--s" role="status">
        <h2 id={PAYMENT_HEADING_ID} ref={headingRef} tabIndex={-1}>
          {status === 'waiting' && choosing ? getChoiceHeading(choosing, payment) : getHeading(payment)}
        </h2>
        {status === 'waiting' && choosing && earlierPayment ? (
          <p>{`If you ${earlierPayment}, don’t pay here too.`}</p>
        ) : (
          <PaymentMessage payment={payment} isOffline={isOffline} />
        )}
        {isOffline && <p>You seem to be offline. This page will check again when you’re back online.</p>}
      </div>
      {isPayable ? (
        <PaymentActions
          shown={shown}
          payment={payment}
          posted={posted}
          choosing={choosing}
          setChoosing={(choosing) => setChoice({ attempt, choosing })}
        />
      ) : (
        <BackToCheckout />
      )}
      {isPayable && <OtherCartItems lines={shown.order.lines} />}
      {isPayable && expiresInMs !== null && (
        <p className="note">
          {`We’ll hold your order for ${formatMinutes(expiresInMs)}. You can close this page. You’ll find your order on your `}
          <a href={href('dashboard')}>dashboard</a>
          {', and we’ll email you when we’ve received your payment.'}
        </p>
      )}
    </section>
  )
}

/** The shopper may have added items since. */
function OtherCartItems({ lines }: Pick<ShownOrder['order'], 'lines'>) {
  const cart = useCart() ?? []
  const others = cart.filter(({ id }) => !lines.some(({ productId }) => productId === id))
  const [first] = others
  if (!first) return null
  return (
    <p className="note">
      {others.length === 1
        ? `${first.title} isn’t in this order. It stays in your cart.`
        : `${others.length} items in your cart aren’t in this order. They stay in your cart.`}
    </p>
  )
}

function getPrompt({ provider, phone }: PaymentState) {
  return phone !== null && hasFlow(provider, 'prompt') ? { provider, phone } : undefined
}

function listChoiceMethods(payment: PaymentState): Record<PaymentChoice, PaymentMethod[]> {
  const { provider, methods } = payment
  return {
    phone: getPrompt(payment) ? methods.filter((method) => method === provider) : [],
    method: methods.filter((method) => method !== provider),
  }
}

function getChoiceHeading(choice: PaymentChoice, payment: PaymentState): string {
  const [method, ...others] = listChoiceMethods(payment)[choice]
  const isOnly = choice === 'method' && method && others.length === 0
  return isOnly ? `Pay ${formatByMethod(method)}` : CHOICE_LABELS[choice]
}

const WAITING_HEADINGS: Record<PaymentFlow, string> = {
  card: 'We’re processing your payment',
  prompt: 'Check your phone',
  redirect: 'Waiting for your payment',
  'on-delivery': 'Pay on delivery',
  manual: 'We’re processing your payment',
}

function getHeading({ status, provider }: PaymentState): string {
  switch (status) {
    case 'waiting':
      return WAITING_HEADINGS[getProviderDescriptor(provider).flow]
    case 'failed':
      return 'Not paid yet'
    case 'expired':
      return 'This order has expired'
    case 'cancelled':
      return 'This order was cancelled'
    case 'paid':
      return 'This order is paid'
  }
}

function formatMinutes(ms: number): string {
  const minutes = Math.max(Math.ceil(ms / 60_000), 1)
  return minutes === 1 ? 'one minute' : `${minutes} minutes`
}

function useProviderRedirect({ status, redirectTo }: PaymentState): void {
  const [isRedirecting, setRedirecting] = useAtom(isRedirectingToPayAtom)
  useEffect(() => {
    if (!isRedirecting || (status === 'waiting' && !redirectTo)) return
    setRedirecting(false)
    if (status !== 'waiting' || !redirectTo) return
    // The browser restores this position when the shopper comes back.
    scrollTo({ top: 0, behavior: 'instant' })
    navigate(redirectTo)
  }, [isRedirecting, status, redirectTo, setRedirecting])
}

type PaymentActionsProps = PaymentPanelProps & {
  choosing: PaymentChoice | undefined
  setChoosing: (choice: PaymentChoice | undefined) => void
}

function PaymentActions({ shown, payment, posted, choosing, setChoosing }: PaymentActionsProps) {
  const { number, status, dueCents, provider, redirectTo, methods } = payment
  const [failure, setFailure] = useState<string>()
  const [isBusy, setBusy] = useState(false)
  const payAgain = useSetAtom(payAgainAtom)
  const selectProvider = useSetAtom(selectedProviderAtom)
  const cancel = useSetAtom(cancelOrderAtom)
  const isWaiting = status === 'waiting'
  const prompt = getPrompt(payment)
  const methodsByChoice = listChoiceMethods(payment)
  const offered = !isWaiting ? methods : choosing ? methodsByChoice[choosing] : []
  const openersRef = useRef<Partial<Record<PaymentChoice, HTMLButtonElement | null>>>({})
  const renderOpener = (choice: PaymentChoice) =>
    choice !== choosing &&
    methodsByChoice[choice].length > 0 && (
      <button
        key={choice}
        ref={(button) => {
          openersRef.current[choice] = button
        }}
        type="button"
        className="text-button"
        onClick={() => {
          setChoosing(choice)
          selectProvider(methodsByChoice[choice][0])
        }}
      >
        {CHOICE_LABELS[choice]}
      </button>
    )

  const closedRef = useRef<PaymentChoice>(undefined)
  // The clicked button disappears, so focus moves on. For another phone, the form focuses its field.
  useEffect(() => {
    if (choosing === 'method') focusHeading(document.getElementById(PAYMENT_HEADING_ID))
    if (!choosing && closedRef.current) openersRef.current[closedRef.current]?.focus()
    closedRef.current = undefined
  }, [choosing])

  async function run(action: () => Promise<{ message: string } | undefined>) {
    if (isBusy) return
    setBusy(true)
    setFailure(undefined)
    setFailure((await action())?.message)
    setBusy(false)
  }

  return (
    <>
      <Totals rows={[{ label: 'Amount due', value: formatMoney(dueCents), isStrong: true }]} />
      <div role="alert">{failure && <ErrorBanner>{failure}</ErrorBanner>}</div>
      {isWaiting && redirectTo && !choosing && (
        <a className="button button--wide" href={redirectTo}>
          {`Continue to ${getProviderDescriptor(provider).name}`}
        </a>
      )}
      {isWaiting && prompt && !choosing && (
        <ResendPrompt
          shown={shown}
          payment={payment}
          isBusy={isBusy}
          onSend={() => run(() => payAgain(number, prompt))}
        />
      )}
      {offered.length > 0 && (
        <PayAgain
          payment={payment}
          methods={offered}
          posted={posted}
          choice={isWaiting ? choosing : undefined}
          onSent={() => setChoosing(undefined)}
        />
      )}
      {isWaiting && (
        <div>
          {choosing && (
            <button
              type="button"
              className="text-button"
              onClick={() => {
                closedRef.current = choosing
                setChoosing(undefined)
              }}
            >
              {prompt ? 'Keep waiting for the prompt' : 'Keep waiting for your payment'}
            </button>
          )}
          {renderOpener('phone')}
          {renderOpener('method')}
        </div>
      )}
      {isWaiting && hasFlow(provider, 'prompt') && <PromptHelp number={number} />}
      <CancelOrder order={shown.order} onCancel={() => run(() => cancel(number))} isBusy={isBusy} />
      {isWaiting && (
        <noscript>
          <a className="button button--quiet button--wide" href={href('checkout', {}, { order: number })}>
            Check again
          </a>
        </noscript>
      )}
    </>
  )
}

type ResendPromptProps = Omit<PaymentPanelProps, 'posted'> & { isBusy: boolean; onSend: () => void }

function ResendPrompt({ shown, payment, isBusy, onSend }: ResendPromptProps) {
  const { receivedAtMs } = shown
  const { promptAgainInMs } = payment
  const [nowMs, setNowMs] = useState(receivedAtMs)
  const elapsedMs = Math.max(nowMs - receivedAtMs, 0)
  const seconds = Math.max(Math.ceil(((promptAgainInMs ?? 0) - elapsedMs) / 1000), 0)
  const isCounting = seconds > 0
  useEffect(() => {
    setNowMs(Date.now())
    if (!isCounting) return
    const timer = setInterval(() => setNowMs(Date.now()), 1000)
    return () => clearInterval(timer)
  }, [isCounting])

  if (promptAgainInMs === null) return null
  const clock = `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`
  return (
    <div className="payment__prompt">
      <button
        type="button"
        className="button button--wide"
        aria-disabled={isCounting || isBusy}
        aria-describedby={isCounting ? 'resend-prompt' : undefined}
        onClick={() => isCounting || onSend()}
      >
        Resend M-Pesa prompt
      </button>
      {isCounting && (
        <p id="resend-prompt" className="note">
          {'You can resend it in '}
          <span className="payment__clock">{clock}</span>.
        </p>
      )}
    </div>
  )
}

function PromptHelp({ number }: { number: string }) {
  const { email } = useAtomValue(bootAtom).contact ?? shop
  return (
    <div className="payment__help">
      <h3>Didn’t get the prompt?</h3>
      <ul>
        <li>Check that your phone is on and unlocked, and has a signal.</li>
        <li>
          <p>
            {'Already paid but still seeing this? Don’t pay again. '}
            <a href={`mailto:${email}?subject=${encodeURIComponent(`Order ${number}`)}`}>Email us</a>
            {` and mention order ${number}.`}
          </p>
        </li>
      </ul>
    </div>
  )
}

function BackToCheckout() {
  const cart = useCart() ?? []
  return cart.length > 0 ? (
    <>
      <p>Your cart is saved.</p>
      <a className="button" href={href('checkout')}>
        Go to checkout
      </a>
    </>
  ) : (
    <a className="button" href={href('home')}>
      Continue Shopping
    </a>
  )
}
