/** Keeps the page behind a menu or a dialog from scrolling; where it has a scrollbar, its room stays, so that nothing jumps. */
export function lockScroll(isLocked: boolean): void {
  const root = document.documentElement
  const hasScrollbar = window.innerWidth > root.clientWidth
  root.classList.toggle('is-locked--beside-scrollbar', isLocked && hasScrollbar)
  root.classList.toggle('is-locked', isLocked)
}
