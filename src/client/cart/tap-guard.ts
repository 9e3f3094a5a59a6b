/** How long what has moved under a finger takes no taps there, in milliseconds: longer than any double tap's pause. */
const REST_MS = 600
/** How far from the tap that is, in CSS pixels: a finger's width. */
const FINGER_PX = 40

/** Where and when a click was made; `detail` is 0 for one by keyboard or by assistive technology. */
export type Tap = Pick<MouseEvent, 'clientX' | 'clientY' | 'timeStamp' | 'detail'>

/**
 * Keeps a double tap from hitting what moves under the finger when the first tap takes a line away. Each tap that is
 * blocked starts the time again; the keyboard is never blocked.
 */
export function createTapGuard() {
  let last: Tap | undefined
  let hasMoved = false
  return {
    /** Whether a click counts: not when it repeats the tap that has moved the lines. */
    admits(click: Tap): boolean {
      const isRepeated = hasMoved && last !== undefined && isSameTap(last, click)
      hasMoved = isRepeated
      last = click.detail > 0 ? click : undefined
      return !isRepeated
    },
    /** What was under the last tap has moved. */
    linesMoved(): void {
      hasMoved = true
    },
  }
}

function isSameTap(last: Tap, { clientX, clientY, timeStamp, detail }: Tap): boolean {
  if (detail === 0 || timeStamp - last.timeStamp > REST_MS) return false
  return Math.hypot(clientX - last.clientX, clientY - last.clientY) <= FINGER_PX
}
