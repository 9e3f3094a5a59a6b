const DOUBLE_TAP_MS = 600
const FINGER_PX = 40

/** `detail` is 0 for clicks from the keyboard or assistive technology. */
export type Tap = Pick<MouseEvent, 'clientX' | 'clientY' | 'timeStamp' | 'detail'>

/** Once lines have moved, blocks the second of two quick taps in the same place. */
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
