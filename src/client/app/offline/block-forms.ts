import type { createStore } from 'jotai'
import { connectionLossAtom } from '#client/app/router/connection.ts'

const MESSAGE_CLASS = 'banner banner--error'

/**
 * While offline, blocks forms whose `data-offline` says what didn't happen, and shows it in the form. A native post
 * would leave the shop for the browser's error page.
 */
export function blockFormsWhileOffline(store: ReturnType<typeof createStore>): void {
  let message: HTMLElement | undefined
  addEventListener('online', () => message?.remove())
  // Listens in the capture phase, so that React's handlers don't run.
  document.addEventListener(
    'submit',
    (event) => {
      message?.remove()
      const form = event.target
      const outcome = form instanceof HTMLFormElement && form.dataset.offline
      if (!outcome || !isOffline(store)) return
      event.preventDefault()
      event.stopImmediatePropagation()
      message = document.createElement('p')
      message.className = MESSAGE_CLASS
      message.role = 'alert'
      message.textContent = `You’re offline, so ${outcome}. Reconnect and try again.`
      form.insertAdjacentElement('beforeend', message)
      message.scrollIntoView({ block: 'nearest' })
    },
    true,
  )
}

function isOffline(store: ReturnType<typeof createStore>): boolean {
  const lost = store.get(connectionLossAtom)
  return !navigator.onLine || (lost !== null && !lost.isSlow)
}
