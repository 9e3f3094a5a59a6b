import { type FormEvent, useRef, useState } from 'react'
import { callApi, preloadCall } from '#client/app/api.ts'
import { useUser } from '#client/app/use-user.ts'
import { STOCK_ALERTS_PATH } from '#shared/routes.ts'

const FIELD_ID = 'back-in-stock-email'

const loadContract = () => import('#shared/stock/contract.ts')
const loadCall = () => loadContract().then(({ requestStockAlertCall }) => requestStockAlertCall)

type RequestState = { status: 'idle' | 'sending' | 'failed'; message: string }

/** Maps item ids to the texts that confirm their alerts. */
export type StockAlerts = Readonly<Record<number, string | undefined>>

type BackInStockProps = {
  /** The form's id, with which a button outside it can submit it. */
  id: string
  item: number
  confirmation: string | undefined
  setAlerts: (change: (now: StockAlerts) => StockAlerts) => void
}

export function BackInStock({ id, item, confirmation, setAlerts }: BackInStockProps) {
  const [{ status, message }, setState] = useState<RequestState>({ status: 'idle', message: '' })
  const [isReopened, setReopened] = useState(false)
  const [isEdited, setEdited] = useState(false)
  const user = useUser()
  const isFieldShownRef = useRef(false)
  const messageRef = useRef<HTMLParagraphElement>(null)
  const isSending = status === 'sending'
  const isFailed = status === 'failed'
  const isSent = confirmation !== undefined
  const setConfirmation = (text: string | undefined) => setAlerts((now) => ({ ...now, [item]: text }))

  async function send(event: FormEvent<HTMLFormElement>) {
    event.preventDefault()
    if (isSending) return
    const field = event.currentTarget.querySelector<HTMLInputElement>('[name=email]')
    const email = field?.value.trim() ?? ''
    // The field may be off the screen. iOS opens the keyboard only if the field is focused before the request.
    if (!email) focusInput(field)
    // The button outside the form first only shows the field.
    const { submitter } = event.nativeEvent as SubmitEvent
    const isOnlyShown = !email && !isFieldShownRef.current && !event.currentTarget.contains(submitter)
    isFieldShownRef.current = true
    if (isOnlyShown) return
    setState({ status: 'sending', message: '' })
    const result = await callApi(loadCall, { item, email })
    if (result.ok) {
      const { formatStockAlertConfirmation } = await loadContract()
      setConfirmation(formatStockAlertConfirmation(email, result.data.name))
      messageRef.current?.focus()
      return
    }
    const failure = result.message ?? 'You seem to be offline. Please try again once you’re back online.'
    setState({ status: 'failed', message: failure })
    focusInput(field)
  }

  return (
    <form
      id={id}
      method="post"
      action={STOCK_ALERTS_PATH}
      className="stack stack--s"
      noValidate
      onSubmit={send}
    >
      {!isSent && (
        <>
          <input type="hidden" name="item" value={item} />
          {/* On a phone, the bar at the bottom may cover the field. */}
          <p className="note">{`We’ll email ${(!isEdited && !isReopened && user?.email) || 'you'} once when it’s back.`}</p>
          <div className="field">
            <label htmlFor={FIELD_ID}>Your email address</label>
            <input
              ref={isReopened ? focusInput : undefined}
              id={FIELD_ID}
              name="email"
              type="email"
              autoComplete="email"
              defaultValue={isReopened ? undefined : user?.email}
              required
              aria-invalid={isFailed}
              aria-describedby="back-in-stock-note"
              onFocus={() => preloadCall(loadCall)}
              onInput={() => setEdited(true)}
            />
          </div>
        </>
      )}
      <p
        ref={messageRef}
        id="back-in-stock-note"
        className={isSent ? 'banner banner--success' : 'field__error'}
        role="status"
        tabIndex={-1}
      >
        {confirmation ?? message}
      </p>
      {isSent ? (
        <button
          key="reopen"
          type="button"
          className="button button--quiet"
          onClick={() => {
            setState({ status: 'idle', message: '' })
            setReopened(true)
            setConfirmation(undefined)
          }}
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
          Email me when it’s back
        </button>
      )}
    </form>
  )
}

function focusInput(input: HTMLInputElement | null): void {
  input?.focus()
}
