/** Locks page scrolling behind a menu or a dialog; a scrollbar keeps its width, so that nothing shifts. */
export function lockScroll(isLocked: boolean): void {
  const root = document.documentElement
  const hasScrollbar = window.innerWidth > root.clientWidth
  root.classList.toggle('is-locked--beside-scrollbar', isLocked && hasScrollbar)
  root.classList.toggle('is-locked', isLocked)
}
