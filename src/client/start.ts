/** Upper limit: an image that never loads must not delay the app. */
const MAX_WAIT_MS = 3000
const SLOW_AFTER_MS = 1000

const { dataset } = document.documentElement
let isStarted = false

/**
 * Buttons clicked before hydration; the app repeats the clicks. A link clicked after a button is followed only
 * then, because it may lead to the cart.
 */
const earlyClicks: Window['earlyClicks'] = { unhydrated: 'body', buttons: new Set() }
window.earlyClicks = earlyClicks

function keepClick(event: MouseEvent) {
  const target = (event.target as Element).closest<HTMLElement>('a,button[type=button]:not([popovertarget])')
  if (!target?.closest(earlyClicks.unhydrated)) return
  if (target.matches('button')) earlyClicks.buttons.add(target)
  else if (earlyClicks.buttons.size > 0) {
    event.preventDefault()
    earlyClicks.link = target
  }
}

/** Loads the app and the page's scripts. After a failure the next tap or key retries. */
function start(): void {
  if (isStarted) return
  isStarted = true
  const names = document.querySelector<HTMLElement>('[data-scripts]')?.dataset.scripts ?? ''
  // By URL, so that this script shares no chunk with the app. A preload link would recalculate styles.
  Promise.all(names.split(' ').map((script) => import(/* @vite-ignore */ script))).catch(() => {
    isStarted = false
    earlyClicks.buttons.clear()
    earlyClicks.link?.click()
  })
}

/** Restyles the buttons that don't work yet; `layout.tsx` removes the attribute. */
function showWaiting(state: 'tapped' | 'slow'): void {
  if (!dataset.hydrated && dataset.waiting !== 'slow') dataset.waiting = state
}

function startOnInput(): void {
  start()
  showWaiting('tapped')
}

/**
 * The document's only script. Starts the app after the first paint or on first input, so that scripts don't compete
 * with visible content. The second frame follows the first paint.
 */
function startAfterPaint(): void {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(start)))
}

// Listens in the capture phase, because React stops clicks on content that isn't hydrated.
addEventListener('click', keepClick, true)
addEventListener('pointerdown', startOnInput, true)
addEventListener('keydown', startOnInput, true)
if (document.readyState === 'complete') startAfterPaint()
else addEventListener('load', startAfterPaint)
setTimeout(start, MAX_WAIT_MS)
// Dims the buttons. Animating each button would cost the first paint more than this timer.
setTimeout(() => showWaiting('slow'), SLOW_AFTER_MS)
