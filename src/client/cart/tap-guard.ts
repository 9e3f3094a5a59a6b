/** Longer than the pause in any double tap. */
const DOUBLE_TAP_MS = 600
/** A finger's width, in CSS pixels. */
const FINGER_PX = 40

/** `detail` is 0 for clicks by keyboard or assistive technology. */
export type Tap = Pick<MouseEvent, 'clientX' | 'clientY' | 'timeStamp' | 'detail'>

/**
 * Blocks the second tap of a double tap from hitting what moved under the finger when a line was removed. Never blocks
 * keyboard clicks.
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
    linesMoved(): void {
      hasMoved = true
    },
  }
}

function isSameTap(last: Tap, { clientX, clientY, timeStamp, detail }: Tap): boolean {
  if (detail === 0 || timeStamp - last.timeStamp > DOUBLE_TAP_MS) return false
  return Math.hypot(clientX - last.clientX, clientY - last.clientY) <= FINGER_PX
}
