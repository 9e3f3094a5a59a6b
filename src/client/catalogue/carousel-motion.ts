/** How fast the related products move by themselves (§ 2, § 9), in CSS pixels a second. */
export const CAROUSEL_SPEED_PX_PER_S = 50

/** Whether a row may move by itself at all, and whether the shopper has paused it. */
export type CarouselState = { canMove: boolean; isPaused: boolean }

export type CarouselMotion = {
  /** Pauses the row, or lets it move again. */
  pause: (isPaused: boolean) => void
  /** Ends the motion for good. */
  stop: () => void
}

/** Why a row does not move for the moment. */
type PauseReason = 'paused' | 'hover' | 'focus' | 'off-screen'

const MS_PER_PX = 1000 / CAROUSEL_SPEED_PX_PER_S

/**
 * Moves a row's track to the left in a loop (§ 2): an animation of `transform` alone, which costs no layout. While it
 * is paused (hover, focus inside, a click or touch, off the screen) the row is an ordinary scroller at the same offset.
 * It never moves where all cards fit, nor under reduced motion.
 */
export function startCarousel(row: HTMLElement, onChange: (state: CarouselState) => void): CarouselMotion {
  const track = row.firstElementChild as HTMLElement
  const cards = track.firstElementChild as HTMLElement
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')
  const reasons = new Set<PauseReason>(row.matches(':hover') ? ['hover'] : [])
  const abort = new AbortController()
  let animation: Animation | undefined
  let canMove = false
  /** After so many pixels the copy is where the cards were. */
  let loopPx = 0

  function move(): void {
    animation = track.animate(
      { transform: ['none', `translateX(${-loopPx}px)`] },
      { duration: loopPx * MS_PER_PX, iterations: Number.POSITIVE_INFINITY },
    )
    animation.currentTime = (row.scrollLeft % loopPx) * MS_PER_PX
    row.scrollLeft = 0
  }

  function halt(): void {
    const movedPx = (Number(animation?.currentTime) / MS_PER_PX) % loopPx
    animation?.cancel()
    animation = undefined
    row.scrollLeft = movedPx
  }

  function update(): void {
    const shouldMove = canMove && reasons.size === 0
    if (shouldMove && !animation) move()
    if (!shouldMove && animation) halt()
  }

  function setReason(reason: PauseReason, applies: boolean): void {
    if (applies) reasons.add(reason)
    else reasons.delete(reason)
    update()
  }

  function pause(isPaused: boolean): void {
    setReason('paused', isPaused)
    onChange({ canMove, isPaused })
  }

  function measure(): void {
    const gapPx = Number.parseFloat(getComputedStyle(cards).paddingInlineEnd)
    if (animation) halt()
    loopPx = cards.offsetWidth
    canMove = !reducedMotion.matches && loopPx - gapPx > row.clientWidth
    onChange({ canMove, isPaused: reasons.has('paused') })
    update()
  }

  const on = (type: string, listener: (event: Event) => void) =>
    row.addEventListener(type, listener, { signal: abort.signal })
  on('mouseenter', () => setReason('hover', true))
  on('mouseleave', () => setReason('hover', false))
  on('touchstart', () => pause(true))
  on('click', () => pause(true))
  on('focusin', ({ target }) => {
    setReason('focus', true)
    if (target instanceof Element) target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  on('focusout', (event) =>
    setReason('focus', event instanceof FocusEvent && row.contains(event.relatedTarget as Node)),
  )
  reducedMotion.addEventListener('change', measure, { signal: abort.signal })
  const visibility = new IntersectionObserver(([entry]) => setReason('off-screen', !entry?.isIntersecting))
  visibility.observe(row)
  const resize = new ResizeObserver(measure)
  resize.observe(row)
  resize.observe(cards)

  return {
    pause,
    stop() {
      abort.abort()
      visibility.disconnect()
      resize.disconnect()
      animation?.cancel()
    },
  }
}
