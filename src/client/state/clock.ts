import { atom } from 'jotai'
import { type WallClock, wallClock } from '#shared/rules/greeting.ts'
import { bootAtom } from './boot.ts'

/** The device's own clock and zone, once the page is hydrated. */
const deviceAtom = atom<{ nowMs: number; timeZone: string } | undefined>(undefined)

/** The placeholder that the page cache replaces with the time of each request; set on the server alone. */
export const clockPlaceholderAtom = atom<WallClock | undefined>(undefined)

/** The wall clock greetings go by: the server's for the first paint, then the device's (§ 2). */
export const clockAtom = atom(
  (get) => {
    const { nowMs, timeZone } = get(deviceAtom) ?? get(bootAtom)
    return get(clockPlaceholderAtom) ?? wallClock(nowMs, timeZone)
  },
  (_get, set, nowMs: number) => {
    set(deviceAtom, { nowMs, timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone })
  },
)
clockAtom.onMount = (setNow) => setNow(Date.now())

const SECOND_MS = 1000

/** The same clock, ticking with the device's seconds for as long as it is on the screen (§ 2, § 9). */
export const tickingClockAtom = atom(
  (get) => get(clockAtom),
  (_get, set) => set(clockAtom, Date.now()),
)
tickingClockAtom.onMount = (tick) => {
  let timer: ReturnType<typeof setTimeout>
  const tickEachSecond = () => {
    tick()
    timer = setTimeout(tickEachSecond, SECOND_MS - (Date.now() % SECOND_MS))
  }
  tickEachSecond()
  return () => clearTimeout(timer)
}
