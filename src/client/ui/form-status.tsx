import type { ReactNode } from 'react'
import { FORM_ERROR_ID, type FormState } from './use-form.ts'

export function FormError({ state }: { state: FormState<string> }) {
  if (!state.message) return null
  return state.status === 'error' ? (
    <>
      <ErrorBanner key="shown" role="alert" id={FORM_ERROR_ID}>
        {state.message}
      </ErrorBanner>
      {navigator.onLine === false && <p role="status">You’re offline. Reconnect and try again.</p>}
    </>
  ) : (
    <ErrorBanner key="room" isHidden>
      {state.message}
    </ErrorBanner>
  )
}

type ErrorBannerProps = {
  id?: string
  role?: 'alert'
  isHidden?: boolean
  /** Nothing failed, so the banner isn't red. */
  isNotice?: boolean | undefined
  children: ReactNode
}

export function ErrorBanner({ isHidden = false, isNotice = false, children, ...rest }: ErrorBannerProps) {
  return (
    <div
      className={isNotice ? 'banner' : 'banner banner--error'}
      aria-hidden={isHidden || undefined}
      {...rest}
    >
      {!isNotice && (
        <span className="banner__mark" aria-hidden="true">
          ×
        </span>
      )}
      <div className="stack stack--s">{children}</div>
    </div>
  )
}

type SubmitButtonProps = {
  label: string
  busyLabel: string
  isBusy: boolean
  /** A disabled button loses focus; a busy one keeps it. */
  isDisabled: boolean
}

export function SubmitButton({ label, busyLabel, isBusy, isDisabled }: SubmitButtonProps) {
  return (
    <button
      type="submit"
      className="button button--wide"
      disabled={isDisabled}
      aria-busy={isBusy}
      aria-disabled={isBusy}
    >
      {isBusy ? busyLabel : label}
    </button>
  )
}
