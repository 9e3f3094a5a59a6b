export const CAROUSEL_SPEED_PX_PER_S = 50

export type CarouselState = { canMove: boolean; isPaused: boolean }

export type CarouselMotion = {
  pause: (isPaused: boolean) => void
  stop: () => void
}

type PauseReason = 'paused' | 'hover' | 'focus' | 'off-screen'

const MS_PER_PX = 1000 / CAROUSEL_SPEED_PX_PER_S

/** Animates `transform`, which needs no layout (§ 2). While the animation is off, the row scrolls normally. */
export function startCarousel(row: HTMLElement, onChange: (state: CarouselState) => void): CarouselMotion {
  const track = row.firstElementChild as HTMLElement
  const cards = track.firstElementChild as HTMLElement
  const reducedMotion = matchMedia('(prefers-reduced-motion: reduce)')
  const pauseReasons = new Set<PauseReason>(row.matches(':hover') ? ['hover'] : [])
  const abort = new AbortController()
  let animation: Animation | undefined
  let canMove = false
  let loopPx = 0

  function startMoving(): void {
    animation = track.animate(
      { transform: ['none', `translateX(${-loopPx}px)`] },
      { duration: loopPx * MS_PER_PX, iterations: Number.POSITIVE_INFINITY },
    )
    animation.currentTime = (row.scrollLeft % loopPx) * MS_PER_PX
    row.scrollLeft = 0
  }

  function stopMoving(): void {
    const movedPx = (Number(animation?.currentTime) / MS_PER_PX) % loopPx
    animation?.cancel()
    animation = undefined
    row.scrollLeft = movedPx
  }

  function update(): void {
    const shouldMove = canMove && pauseReasons.size === 0
    if (shouldMove && !animation) startMoving()
    if (!shouldMove && animation) stopMoving()
  }

  function setPauseReason(reason: PauseReason, applies: boolean): void {
    if (applies) pauseReasons.add(reason)
    else pauseReasons.delete(reason)
    update()
  }

  function pause(isPaused: boolean): void {
    setPauseReason('paused', isPaused)
    onChange({ canMove, isPaused })
  }

  function measure(): void {
    const gapPx = Number.parseFloat(getComputedStyle(cards).paddingInlineEnd)
    if (animation) stopMoving()
    loopPx = cards.offsetWidth
    canMove = !reducedMotion.matches && loopPx - gapPx > row.clientWidth
    onChange({ canMove, isPaused: pauseReasons.has('paused') })
    update()
  }

  const listen = (type: string, listener: (event: Event) => void) =>
    row.addEventListener(type, listener, { signal: abort.signal })
  listen('mouseenter', () => setPauseReason('hover', true))
  listen('mouseleave', () => setPauseReason('hover', false))
  listen('touchstart', () => pause(true))
  listen('click', () => pause(true))
  listen('focusin', ({ target }) => {
    setPauseReason('focus', true)
    if (target instanceof Element) target.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  })
  listen('focusout', (event) =>
    setPauseReason('focus', event instanceof FocusEvent && row.contains(event.relatedTarget as Node)),
  )
  reducedMotion.addEventListener('change', measure, { signal: abort.signal })
  const visibility = new IntersectionObserver(([entry]) =>
    setPauseReason('off-screen', !entry?.isIntersecting),
  )
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
