import { atom } from 'jotai'
import { clockOf, type WallClock } from '#shared/greeting.ts'
import { bootAtom } from './boot.ts'

/** The device's own clock, once the page is hydrated. */
const deviceAtom = atom<WallClock | undefined>(undefined)

/** The placeholder that the page cache replaces with the time of each request; set on the server alone. */
export const clockPlaceholderAtom = atom<WallClock | undefined>(undefined)

/** The wall clock greetings go by: the server's for the first paint, then the device's (§ 2). */
export const clockAtom = atom(
  (get) => get(deviceAtom) ?? get(clockPlaceholderAtom) ?? clockOf(get(bootAtom).clock),
  (_get, set) => {
    const now = new Date()
    const parts = [now.getHours(), now.getMinutes(), now.getSeconds()]
    set(deviceAtom, clockOf(parts.map((part) => `${part}`.padStart(2, '0')).join(':')))
  },
)
clockAtom.onMount = (update) => update()

const SECOND_MS = 1000

/** The same clock, ticking with the device's seconds for as long as it is on the screen (§ 2, § 9). */
export const tickingClockAtom = atom(
  (get) => get(clockAtom),
  (_get, set) => set(clockAtom),
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
