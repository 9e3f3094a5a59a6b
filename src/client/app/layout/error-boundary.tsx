import { Component, type ReactNode } from 'react'
import type { View } from '#client/app/router/page.ts'
import { href } from '#shared/routes.ts'

type Props = { view: View; children: ReactNode }
type State = { view?: View; hasFailed: boolean }

export class ErrorBoundary extends Component<Props, State> {
  override state: State = { hasFailed: false }

  static getDerivedStateFromError(): Partial<State> {
    return { hasFailed: true }
  }

  static getDerivedStateFromProps({ view }: Props, state: State): State | null {
    return state.view === view ? null : { view, hasFailed: false }
  }

  override render() {
    return this.state.hasFailed ? <ErrorMessage /> : this.props.children
  }
}

/** Takes focus, because the focused element may have been in the page that failed. */
function ErrorMessage() {
  return (
    <div className="notice notice--lost" role="alert" tabIndex={-1} ref={focusMessage}>
      <h1>Something went wrong</h1>
      <p>We couldn’t show this page.</p>
      <a className="button" href={location.href}>
        Try again
      </a>
      <a href={href('home')}>Return Home</a>
    </div>
  )
}

function focusMessage(message: HTMLElement | null): void {
  message?.focus({ preventScroll: true })
}
