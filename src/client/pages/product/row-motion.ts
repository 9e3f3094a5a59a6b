/** How fast the related products move by themselves (§ 2, § 9), in CSS pixels a second. */
export const CAROUSEL_SPEED_PX_PER_S = 50

/** Whether a row may move by itself at all, and whether the shopper has stopped it until told otherwise. */
export type MotionState = { canMove: boolean; isHeld: boolean }

export type RowMotion = {
  /** Stops the row until it is let go again. */
  hold: (isHeld: boolean) => void
  /** Ends the motion for good. */
  stop: () => void
}

/** Why a row stands still for the moment. */
type Rest = 'held' | 'pointer' | 'focus' | 'away'

const MS_PER_PX = 1000 / CAROUSEL_SPEED_PX_PER_S

/**
 * Moves a row's track to the left for ever (§ 2): an animation of `transform` alone, which costs no layout. While it
 * rests (under the pointer, with focus inside, after a click or a touch, out of sight) the row is an ordinary
 * scrollable one, at the same place. It never moves where all of it is in view, or under reduced motion.
 */
export function startRowMotion(row: HTMLElement, onChange: (state: MotionState) => void): RowMotion {
  const track = row.firstElementChild as HTMLElement
  const cards = track.firstElementChild as HTMLElement
  const stillness = matchMedia('(prefers-reduced-motion: reduce)')
  const rests = new Set<Rest>(row.matches(':hover') ? ['pointer'] : [])
  const ending = new AbortController()
  let animation: Animation | undefined
  let canMove = false
  /** After so many pixels the copy stands where the cards stood. */
  let loopPx = 0

  function move(): void {
    animation = track.animate(
      { transform: ['none', `translateX(${-loopPx}px)`] },
      { duration: loopPx * MS_PER_PX, iterations: Number.POSITIVE_INFINITY },
    )
    animation.currentTime = (row.scrollLeft % loopPx) * MS_PER_PX
    row.scrollLeft = 0
  }

  function rest(): void {
    const movedPx = (Number(animation?.currentTime) / MS_PER_PX) % loopPx
    animation?.cancel()
    animation = undefined
    row.scrollLeft = movedPx
  }

  function settle(): void {
    const shouldMove = canMove && rests.size === 0
    if (shouldMove && !animation) move()
    if (!shouldMove && animation) rest()
  }

  function set(reason: Rest, isSo: boolean): void {
    if (isSo) rests.add(reason)
    else rests.delete(reason)
    settle()
  }

  function hold(isHeld: boolean): void {
    set('held', isHeld)
    onChange({ canMove, isHeld })
  }

  function measure(): void {
    const gapPx = Number.parseFloat(getComputedStyle(cards).paddingInlineEnd)
    if (animation) rest()
    loopPx = cards.offsetWidth
    canMove = !stillness.matches && loopPx - gapPx > row.clientWidth
    onChange({ canMove, isHeld: rests.has('held') })
    settle()
  }

  const on = (type: string, listener: (event: Event) => void) =>
    row.addEventListener(type, listener, { signal: ending.signal })
  on('mouseenter', () => set('pointer', true))
  on('mouseleave', () => set('pointer', false))
  on('touchstart', () => hold(true))
  on('click', () => hold(true))
  on('focusin', ({ target }) => {
    set('focus', true)
    if (target instanceof Element) target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  on('focusout', (event) =>
    set('focus', event instanceof FocusEvent && row.contains(event.relatedTarget as Node)),
  )
  stillness.addEventListener('change', measure, { signal: ending.signal })
  const sight = new IntersectionObserver(([entry]) => set('away', !entry?.isIntersecting))
  sight.observe(row)
  const size = new ResizeObserver(measure)
  size.observe(row)
  size.observe(cards)

  return {
    hold,
    stop() {
      ending.abort()
      sight.disconnect()
      size.disconnect()
      animation?.cancel()
    },
  }
}
