/** Upper limit: an image that never loads must not delay the app. */
const MAX_WAIT_MS = 3000
const SLOW_AFTER_MS = 1000

let isStarted = false

/** Loads the app and the page's scripts. After a failure the next tap or key retries. */
function start(): void {
  if (isStarted) return
  isStarted = true
  const names = document.querySelector<HTMLElement>('[data-scripts]')?.dataset.scripts ?? ''
  const scripts = names.split(' ')
  for (const href of scripts) {
    const link = document.createElement('link')
    link.rel = 'modulepreload'
    link.href = href
    document.head.appendChild(link)
  }
  // A dynamic import by URL, so that this script shares no chunk with the app.
  import(/* @vite-ignore */ scripts[0] ?? '').catch(() => {
    isStarted = false
  })
}

/**
 * The document's only script. Starts the app after the first paint or on first input, so that scripts don't compete
 * with visible content. The second frame follows the first paint.
 */
function startAfterPaint(): void {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(start)))
}

addEventListener('pointerdown', start, true)
addEventListener('keydown', start, true)
if (document.readyState === 'complete') startAfterPaint()
else addEventListener('load', startAfterPaint)
setTimeout(start, MAX_WAIT_MS)
// Dims the buttons that don't work yet. An animation of each button would cost the first paint more than this timer.
setTimeout(() => {
  const { dataset } = document.documentElement
  if (!dataset.hydrated) dataset.slow = ''
}, SLOW_AFTER_MS)
