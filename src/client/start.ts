/** The `load` event may be late or never fire, for example if an image hangs. */
const MAX_WAIT_MS = 3000
const SLOW_AFTER_MS = 1000

const { dataset } = document.documentElement
let isStarted = false

/**
 * The app repeats these clicks. A link clicked after a button is followed once the button's click has been repeated,
 * because the link may open the cart.
 */
const earlyClicks: Window['earlyClicks'] = { unhydrated: 'body', buttons: new Set() }
window.earlyClicks = earlyClicks

function recordEarlyClick(event: MouseEvent) {
  const target = (event.target as Element).closest<HTMLElement>('a,button[type=button]:not([popovertarget])')
  if (!target?.closest(earlyClicks.unhydrated)) return
  if (target.matches('button')) earlyClicks.buttons.add(target)
  else if (earlyClicks.buttons.size > 0) {
    event.preventDefault()
    earlyClicks.link = target
  }
}

function start(): void {
  if (isStarted) return
  isStarted = true
  const names = document.querySelector<HTMLElement>('[data-scripts]')?.dataset.scripts ?? ''
  // The scripts are imported by URL, so that this script shares no chunk with the app. Preload links for
  // them would recalculate styles.
  Promise.all(names.split(' ').map((script) => import(/* @vite-ignore */ script))).catch(() => {
    isStarted = false
    earlyClicks.buttons.clear()
    earlyClicks.link?.click()
  })
}

/** `layout.tsx` removes the attribute on hydration. */
function showWaiting(state: 'tapped' | 'slow'): void {
  if (!dataset.hydrated && dataset.waiting !== 'slow') dataset.waiting = state
}

function startOnInput(): void {
  start()
  showWaiting('tapped')
}

/** Reserves the space of the notice about this order, which the app shows once it knows the order's status. */
function markOpenOrder(): void {
  try {
    // Only attempts that were submitted have one of these fields.
    if (/"(sentAtMs|number)"/.test(localStorage.getItem('order') ?? '')) dataset.order = ''
  } catch {
    // Storage is blocked, so an attempt can't be read.
  }
}

/** Waits for a paint, so that the app's scripts don't compete with visible content. */
function startAfterPaint(): void {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(start)))
}

markOpenOrder()
// The click listener uses the capture phase, because React stops clicks on content that isn't hydrated.
addEventListener('click', recordEarlyClick, true)
addEventListener('pointerdown', startOnInput, true)
addEventListener('keydown', startOnInput, true)
if (document.readyState === 'complete') startAfterPaint()
else addEventListener('load', startAfterPaint)
setTimeout(start, MAX_WAIT_MS)
setTimeout(() => showWaiting('slow'), SLOW_AFTER_MS)
