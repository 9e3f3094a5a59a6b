import type { createStore } from 'jotai'
import { connectionLossAtom } from '#client/app/router/connection.ts'

type Store = ReturnType<typeof createStore>

const MESSAGE_CLASS = 'banner banner--error'

/**
 * While offline, blocks forms whose `data-offline` says what didn't happen, and shows it in the form. A native post
 * would leave the shop for the browser's error page.
 */
export function blockFormsWhileOffline(store: Store): void {
  let message: HTMLElement | undefined
  store.sub(connectionLossAtom, () => {
    if (!isOffline(store)) message?.remove()
  })
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

const FORM_SELECTOR = 'form[data-offline]'

/**
 * Calls `probe` when such a form is revealed or entered, because `navigator.onLine` is true on a Wi-Fi without internet.
 */
export function probeBeforeForms(store: Store, probe: () => void): void {
  const probeUnlessLost = () => {
    if (store.get(connectionLossAtom) === null) probe()
  }
  document.addEventListener('focusin', ({ target, relatedTarget }) => {
    const form = target instanceof Element && target.closest(FORM_SELECTOR)
    const wasInside = form && relatedTarget instanceof Node && form.contains(relatedTarget)
    if (form && !wasInside) probeUnlessLost()
  })
  // Toggle events don't bubble.
  document.addEventListener(
    'toggle',
    ({ target }) => {
      if (target instanceof HTMLDetailsElement && target.querySelector(FORM_SELECTOR)) probeUnlessLost()
    },
    true,
  )
}

function isOffline(store: Store): boolean {
  const lost = store.get(connectionLossAtom)
  return !navigator.onLine || (lost !== null && !lost.isSlow)
}
