/** The app starts after this time at the latest, for example if an image never loads. */
const MAX_WAIT_MS = 3000
const SLOW_AFTER_MS = 1000

const { dataset } = document.documentElement
let isStarted = false

/**
 * Buttons that were clicked before hydration. The app repeats those clicks, and then follows a link clicked after
 * them, because the link may lead to the cart.
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

/**
 * Loads the app and the page's scripts. After a failure, forgets the early clicks and follows the link. The next
 * tap or key press retries.
 */
function start(): void {
  if (isStarted) return
  isStarted = true
  const names = document.querySelector<HTMLElement>('[data-scripts]')?.dataset.scripts ?? ''
  // The scripts are imported by URL, so this script shares no chunk with the app. Adding preload links would
  // recalculate styles.
  Promise.all(names.split(' ').map((script) => import(/* @vite-ignore */ script))).catch(() => {
    isStarted = false
    earlyClicks.buttons.clear()
    earlyClicks.link?.click()
  })
}

/** Sets `data-waiting`, which restyles the buttons that don't work yet. `layout.tsx` removes it. */
function showWaiting(state: 'tapped' | 'slow'): void {
  if (!dataset.hydrated && dataset.waiting !== 'slow') dataset.waiting = state
}

function startOnInput(): void {
  start()
  showWaiting('tapped')
}

/**
 * Starts the app after the first paint, so that its scripts don't compete with visible content. The second
 * animation frame comes after the first paint.
 */
function startAfterPaint(): void {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(start)))
}

// The click listener uses the capture phase, because React stops clicks on content that isn't hydrated.
addEventListener('click', keepClick, true)
addEventListener('pointerdown', startOnInput, true)
addEventListener('keydown', startOnInput, true)
if (document.readyState === 'complete') startAfterPaint()
else addEventListener('load', startAfterPaint)
setTimeout(start, MAX_WAIT_MS)
// The buttons are striped, not animated: an animation on each would slow down the first paint more.
setTimeout(() => showWaiting('slow'), SLOW_AFTER_MS)
