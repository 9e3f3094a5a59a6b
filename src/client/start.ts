/** At the latest: a picture that never arrives must not hold back the rest. */
const PATIENCE_MS = 3000

let isStarted = false

/** Fetches the app and the page's own scripts. After a failure the next tap or key tries again. */
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
  // By address, so that this script shares no code with the app, which it would then wait for.
  import(/* @vite-ignore */ scripts[0] ?? '').catch(() => {
    isStarted = false
  })
}

/**
 * The document's only script. It starts the app once the page has been painted, or as soon as somebody uses it: scripts
 * never share the line with what the page shows. By the second frame the first, with a picture to draw, is on the screen.
 */
function startAfterPaint(): void {
  requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(start)))
}

addEventListener('pointerdown', start, true)
addEventListener('keydown', start, true)
if (document.readyState === 'complete') startAfterPaint()
else addEventListener('load', startAfterPaint)
setTimeout(start, PATIENCE_MS)
