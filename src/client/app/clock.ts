import { atom } from 'jotai'
import { parseClock, type WallClock } from '#shared/greeting.ts'
import { bootAtom } from './boot.ts'

const deviceClockAtom = atom<WallClock | undefined>(undefined)

/** A placeholder that the page cache replaces with the time of each request. Set on the server only. */
export const clockPlaceholderAtom = atom<WallClock | undefined>(undefined)

export const serverClockAtom = atom((get) => get(clockPlaceholderAtom) ?? parseClock(get(bootAtom).clock))

/** The server's time until hydration, then the device's (§ 2). */
export const clockAtom = atom(
  (get) => get(deviceClockAtom) ?? get(serverClockAtom),
  (_get, set) => {
    const now = new Date()
    const parts = [now.getHours(), now.getMinutes(), now.getSeconds()]
    set(deviceClockAtom, parseClock(parts.map((part) => `${part}`.padStart(2, '0')).join(':')))
  },
)
clockAtom.onMount = (update) => update()

const SECOND_MS = 1000

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
