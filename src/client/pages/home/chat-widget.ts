/** A phone that is never idle still gets its chat, after this long. */
const IDLE_DEADLINE_MS = 3000

/** Loads the chat widget's script (§ 2) once the browser has nothing more urgent to do. Returns how to call that off. */
export function loadChatWidget(address: string): () => void {
  const script = document.createElement('script')
  script.src = address
  script.async = true
  const whenIdle = window.requestIdleCallback ?? ((load: () => void) => setTimeout(load, IDLE_DEADLINE_MS))
  const cancelIdle = window.cancelIdleCallback ?? clearTimeout
  const waiting = whenIdle(() => document.head.appendChild(script), { timeout: IDLE_DEADLINE_MS })
  return () => cancelIdle(waiting)
}
