/** Double taps are faster than this. */
const DOUBLE_TAP_MS = 600
/** The width of a finger in CSS pixels. */
const FINGER_PX = 40

/** A click. `detail` is 0 if it comes from the keyboard or assistive technology. */
export type Tap = Pick<MouseEvent, 'clientX' | 'clientY' | 'timeStamp' | 'detail'>

/**
 * Creates a guard against double taps. After lines have moved, it blocks a quick second tap in the same place, but
 * never keyboard clicks.
 */
export function createTapGuard() {
  let last: Tap | undefined
  let hasMoved = false
  return {
    allows(click: Tap): boolean {
      const isRepeated = hasMoved && last !== undefined && isSameTap(last, click)
      hasMoved = isRepeated
      last = click.detail > 0 ? click : undefined
      return !isRepeated
    },
    recordMove(): void {
      hasMoved = true
    },
  }
}

function isSameTap(last: Tap, { clientX, clientY, timeStamp, detail }: Tap): boolean {
  if (detail === 0 || timeStamp - last.timeStamp > DOUBLE_TAP_MS) return false
  return Math.hypot(clientX - last.clientX, clientY - last.clientY) <= FINGER_PX
}
