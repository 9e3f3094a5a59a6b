import { useEffect, useRef } from 'react'

const SCRIPT = 'https://challenges.cloudflare.com/turnstile/v0/api.js?render=explicit'

/** What the shop uses of Turnstile's script. */
type Turnstile = {
  render: (
    container: HTMLElement,
    options: { sitekey: string; action: string; callback: (token: string) => void },
  ) => string
  remove: (widget: string) => void
}
declare global {
  interface Window {
    turnstile?: Turnstile
  }
}

/** A challenge that passes the pause after wrong passwords; `onSolved` gets the token to send. */
export function Challenge({ siteKey, onSolved }: { siteKey: string; onSolved: (token: string) => void }) {
  const container = useRef<HTMLDivElement>(null)
  const latest = useRef(onSolved)
  latest.current = onSolved
  useEffect(() => {
    let widget: string | undefined
    let isCurrent = true
    loadTurnstile().then(
      (turnstile) => {
        const callback = (token: string) => latest.current(token)
        if (isCurrent && container.current)
          widget = turnstile.render(container.current, { sitekey: siteKey, action: 'login', callback })
      },
      // Without the challenge, the message has said how long to wait.
      () => {},
    )
    return () => {
      isCurrent = false
      if (widget !== undefined) window.turnstile?.remove(widget)
    }
  }, [siteKey])
  return <div ref={container} />
}

let loading: Promise<Turnstile> | undefined

/** Turnstile's script, loaded once. Rejects when it cannot be fetched. */
function loadTurnstile(): Promise<Turnstile> {
  loading ??= new Promise((resolve, reject) => {
    const script = document.createElement('script')
    script.src = SCRIPT
    script.onload = () => (window.turnstile ? resolve(window.turnstile) : reject(new Error('No Turnstile.')))
    script.onerror = () => {
      loading = undefined
      reject(new Error('Turnstile cannot be fetched.'))
    }
    document.head.appendChild(script)
  })
  return loading
}
