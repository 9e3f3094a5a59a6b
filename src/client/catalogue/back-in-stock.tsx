import { type FormEvent, useState } from 'react'
import { callApi, prepareCall } from '#client/app/api.ts'
import { STOCK_ALERTS_PATH } from '#shared/routes.ts'

const loadCall = () => import('#shared/stock/contract.ts').then(({ requestAlert }) => requestAlert)

type RequestState = { status: 'idle' | 'sending' | 'sent' | 'failed'; message: string }

/**
 * Offers an email when a sold-out item is back in stock. Without JavaScript, the form's result is a page of its
 * own.
 */
export function BackInStock({ item }: { item: number }) {
  const [{ status, message }, setState] = useState<RequestState>({ status: 'idle', message: '' })
  const isSending = status === 'sending'

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isSending) return
    const form = event.currentTarget
    setState({ status: 'sending', message: '' })
    const email = String(new FormData(form).get('email'))
    const result = await callApi(loadCall, { item, email })
    if (result.ok) {
      form.reset()
      return setState({
        status: 'sent',
        message: `We’ll email you once, as soon as ${result.data.name} is back.`,
      })
    }
    const failure = result.message ?? 'You seem to be offline. Please try again once you’re back online.'
    setState({ status: 'failed', message: failure })
  }

  const isFailed = status === 'failed'
  return (
    <form method="post" action={STOCK_ALERTS_PATH} className="stack stack--s" noValidate onSubmit={send}>
      <input type="hidden" name="item" value={item} />
      <div className="field">
        <label htmlFor="back-in-stock">Email me when it’s back</label>
        <input
          id="back-in-stock"
          name="email"
          type="email"
          autoComplete="email"
          placeholder="Email"
          required
          aria-invalid={isFailed}
          aria-describedby="back-in-stock-note"
          onFocus={() => prepareCall(loadCall)}
        />
        <p className="field__note" id="back-in-stock-note" role="status">
          <span className={isFailed ? 'field__error' : undefined}>{message}</span>
        </p>
      </div>
      <button type="submit" className="button button--quiet" aria-busy={isSending} aria-disabled={isSending}>
        Email me
      </button>
    </form>
  )
}
