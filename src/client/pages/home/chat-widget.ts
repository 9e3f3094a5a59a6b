/** Loads the chat widget's script (§ 2) once the browser has nothing more urgent to do. Returns how to call that off. */
export function loadChatWidget(address: string): () => void {
  const script = document.createElement('script')
  script.src = address
  script.async = true
  const whenIdle = window.requestIdleCallback ?? ((load) => setTimeout(load, 1000))
  const cancelIdle = window.cancelIdleCallback ?? clearTimeout
  const waiting = whenIdle(() => document.head.appendChild(script))
  return () => cancelIdle(waiting)
}
