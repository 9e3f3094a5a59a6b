import { useAtomValue } from 'jotai'
import { homeGreeting } from '#shared/rules/greeting.ts'
import { tickingClockAtom } from '../../state/clock.ts'

/** The greeting for the time of day, and the time itself (§ 2); without its seconds it moves once a minute. */
export function LiveClock({ withSeconds }: { withSeconds: boolean }) {
  const { hour, text } = useAtomValue(tickingClockAtom)
  return (
    <p className="hero__greeting">
      <span>{homeGreeting(hour)}</span>
      <time>{withSeconds ? text : text.slice(0, 'HH:MM'.length)}</time>
    </p>
  )
}
