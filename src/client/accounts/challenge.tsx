import { useEffect, useRef, useState } from 'react'

const SCRIPT_URL = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

type Turnstile = {
  render: (
    container: HTMLElement,
    options: {
      sitekey: string
      action: string
      callback: (token: string) => void
      /** Returning true means that the error was handled, so Turnstile logs no warning. */
      'error-callback': () => boolean
    },
  ) => string
  remove: (widget: string) => void
}
declare global {
  interface Window {
    turnstile?: Turnstile
  }
}

const FAILED_MESSAGE = 'The security check failed. Retrying...'
const NOT_LOADED_MESSAGE = 'We couldn’t load the security check. Please wait a moment, then try again.'

export function Challenge({ siteKey, onSolved }: { siteKey: string; onSolved: (token: string) => void }) {
  const containerRef = useRef<HTMLDivElement>(null)
  const [problem, setProblem] = useState<string>()
  const latestRef = useRef(onSolved)
  latestRef.current = onSolved
  useEffect(() => {
    let widget: string | undefined
    let isCurrent = true
    loadTurnstile().then(
      (turnstile) => {
        if (!isCurrent || !containerRef.current) return
        widget = turnstile.render(containerRef.current, {
          sitekey: siteKey,
          action: 'login',
          callback(token) {
            setProblem(undefined)
            latestRef.current(token)
          },
          'error-callback'() {
            setProblem(FAILED_MESSAGE)
            return true
          },
        })
      },
      () => isCurrent && setProblem(NOT_LOADED_MESSAGE),
    )
    return () => {
      isCurrent = false
      if (widget !== undefined) window.turnstile?.remove(widget)
    }
  }, [siteKey])
  return (
    <div className="stack">
      <p role="status">{problem ?? 'Complete this check to try again right away.'}</p>
      <div ref={containerRef} />
    </div>
  )
}

let pendingTurnstile: Promise<Turnstile> | undefined

function loadTurnstile(): Promise<Turnstile> {
  pendingTurnstile ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = SCRIPT_URL
    script.onload = () =>
      window.turnstile
        ? resolve(window.turnstile)
        : reject(new Error('The Turnstile script loaded, but window.turnstile is missing.'))
    script.onerror = () => {
      pendingTurnstile = undefined
      reject(new Error('The Turnstile script couldn’t be loaded.'))
    }
    document.head.appendChild(script)
  })
  return pendingTurnstile
}
