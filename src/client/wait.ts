/** Resolves after so many milliseconds. */
export const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))

/** Runs what can wait for the next paint, so that no work delays that: what a tap asks for, or what is below the screen. */
export function afterPaint(run: () => void): void {
  requestAnimationFrame(() => setTimeout(run))
}
