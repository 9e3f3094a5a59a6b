import { useAtomValue } from 'jotai'
import { useEffect, useState } from 'react'
import { href } from '#shared/routes.ts'
import { homeGreeting } from '#shared/rules/greeting.ts'
import { shop } from '#shared/shop.ts'
import { bootAtom } from '../../state/boot.ts'
import { tickingClockAtom } from '../../state/clock.ts'
import { Stats } from '../../ui/stats.tsx'
import { Splash } from './splash.tsx'

/** The figures under the headline (§ 2). */
const STATS = [
  { value: '1M+', label: 'Happy Families' },
  { value: '100%', label: 'Organic Cotton' },
  { value: '5-star', label: 'Customer Rating' },
]

/** How long each feature is shown (§ 2, § 9). */
const FEATURE_MS = 3000

/** What the badge rotates over (§ 2). */
const FEATURES = [
  '100% Organic Cotton',
  'Eco-Friendly Materials',
  'Hypoallergenic & Safe',
  'Sustainable Production',
  'Family Approved',
  'Premium Quality',
] as const

/** The chat widget is loaded after this long at the latest, also in a browser that is never idle. */
const CHAT_DEADLINE_MS = 3000

/** Home (§ 2). */
function HomePage() {
  const { chatScript } = useAtomValue(bootAtom)
  useEffect(() => (chatScript ? loadChatWidget(chatScript) : undefined), [chatScript])

  return (
    <>
      <Splash />
      <Hero />
    </>
  )
}

function Hero() {
  const [isPaused, setIsPaused] = useState(false)
  const { savesData } = useAtomValue(bootAtom)
  return (
    <section className="hero page page--wide">
      <div className="hero__words">
        <LiveClock withSeconds={!isPaused} />
        <h1 className="hero__headline">{shop.tagline}</h1>
        <div className="hero__badge">
          <FeatureBadge isPaused={isPaused} />
          <button
            type="button"
            className="hero__pause"
            aria-pressed={isPaused}
            aria-label="Pause the badge and the clock"
            onClick={() => setIsPaused(!isPaused)}
          >
            <span />
          </button>
        </div>
        <p className="hero__actions">
          <a className="button" href={href('shop')}>
            Shop Kids Collection
          </a>
          <a className="button button--quiet" href={href('shop')}>
            {"Shop Women's Collection"}
          </a>
        </p>
        <Stats stats={STATS} />
      </div>
      <a className="hero__art" href={href('shop')}>
        <img
          src={savesData ? '/images/hero.data-saver.svg' : '/images/hero.svg'}
          alt=""
          width="960"
          height="1080"
        />
        <span className="hero__hint">Click to explore</span>
      </a>
    </section>
  )
}

/** Loads the chat widget's script (§ 2) once the browser is idle. Returns a function that cancels it. */
function loadChatWidget(address: string): () => void {
  const script = document.createElement('script')
  script.src = address
  script.async = true
  const whenIdle = window.requestIdleCallback ?? ((load: () => void) => setTimeout(load, CHAT_DEADLINE_MS))
  const cancelIdle = window.cancelIdleCallback ?? clearTimeout
  const waiting = whenIdle(() => document.head.appendChild(script), { timeout: CHAT_DEADLINE_MS })
  return () => cancelIdle(waiting)
}

/** Shows one feature after the other (§ 2), without announcing them to screen readers. */
function FeatureBadge({ isPaused }: { isPaused: boolean }) {
  const [index, setIndex] = useState(0)

  useEffect(() => {
    if (isPaused) return
    const timer = setInterval(() => setIndex((current) => (current + 1) % FEATURES.length), FEATURE_MS)
    return () => clearInterval(timer)
  }, [isPaused])

  return (
    <p className="label">
      <span className="label__text" key={index}>
        {FEATURES[index]}
      </span>
    </p>
  )
}

/** The greeting for the time of day, and the time itself (§ 2); without seconds it changes once a minute. */
function LiveClock({ withSeconds }: { withSeconds: boolean }) {
  const { hour, text } = useAtomValue(tickingClockAtom)
  return (
    <p className="hero__greeting">
      <span>{homeGreeting(hour)}</span>
      <time>{withSeconds ? text : text.slice(0, 'HH:MM'.length)}</time>
    </p>
  )
}

export { HomePage as Page }
