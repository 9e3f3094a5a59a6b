/**
 * Loads the chat widget's script (§ 2) once the browser has nothing more urgent to do. Returns how to take it away
 * again, together with what it has put on the page.
 */
export function loadChatWidget(address: string): () => void {
  const script = document.createElement('script')
  script.src = address
  script.async = true
  const own = new Set(document.body.children)
  const whenIdle = window.requestIdleCallback ?? ((load) => setTimeout(load, 1000))
  const cancelIdle = window.cancelIdleCallback ?? clearTimeout
  const waiting = whenIdle(() => document.head.appendChild(script))
  return () => {
    cancelIdle(waiting)
    script.remove()
    for (const element of [...document.body.children]) if (!own.has(element)) element.remove()
  }
}
