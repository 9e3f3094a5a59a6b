import { type FormEvent, useRef, useState } from 'react'
import { callApi, preloadCall } from '#client/app/api.ts'
import { STOCK_ALERTS_PATH } from '#shared/routes.ts'

const FIELD_ID = 'back-in-stock'

const loadContract = () => import('#shared/stock/contract.ts')
const loadCall = () => loadContract().then(({ requestStockAlertCall }) => requestStockAlertCall)

type RequestState = { status: 'idle' | 'sending' | 'sent' | 'failed' | 'reopened'; message: string }

export function BackInStock({ item }: { item: number }) {
  const [{ status, message }, setState] = useState<RequestState>({ status: 'idle', message: '' })
  const messageRef = useRef<HTMLParagraphElement>(null)
  const isSending = status === 'sending'
  const isFailed = status === 'failed'
  const isSent = status === 'sent'

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isSending) return
    const email = String(new FormData(event.currentTarget).get('email')).trim()
    setState({ status: 'sending', message: '' })
    const result = await callApi(loadCall, { item, email })
    if (result.ok) {
      const { formatStockAlertConfirmation } = await loadContract()
      setState({ status: 'sent', message: formatStockAlertConfirmation(email, result.data.name) })
      messageRef.current?.focus()
      return
    }
    const failure = result.message ?? 'You seem to be offline. Please try again once you’re back online.'
    setState({ status: 'failed', message: failure })
  }

  return (
    <form method="post" action={STOCK_ALERTS_PATH} className="stack stack--s" noValidate onSubmit={send}>
      {!isSent && (
        <>
          <input type="hidden" name="item" value={item} />
          <div className="field">
            <label htmlFor={FIELD_ID}>Email me when it’s back</label>
            <input
              ref={status === 'reopened' ? focus : undefined}
              id={FIELD_ID}
              name="email"
              type="email"
              autoComplete="email"
              placeholder="Email"
              required
              aria-invalid={isFailed}
              aria-describedby="back-in-stock-note"
              onFocus={() => preloadCall(loadCall)}
            />
          </div>
        </>
      )}
      <p
        ref={messageRef}
        id={isSent ? FIELD_ID : 'back-in-stock-note'}
        className={isSent ? 'banner banner--success' : 'field__error'}
        role="status"
        tabIndex={-1}
      >
        {message}
      </p>
      {isSent ? (
        <button
          key="reopen"
          type="button"
          className="text-button"
          onClick={() => setState({ status: 'reopened', message: '' })}
        >
          Use another email address
        </button>
      ) : (
        <button
          type="submit"
          className="button button--quiet"
          aria-busy={isSending}
          aria-disabled={isSending}
        >
          Email me
        </button>
      )}
    </form>
  )
}

function focus(input: HTMLInputElement | null): void {
  input?.focus()
}
