/** Runs what a tap asks for once the browser has painted the tap itself, so that no work delays that. */
export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}
