import { useAtomValue, useSetAtom } from 'jotai'
import { useCallback, useEffect, useState } from 'react'
import { flushSync } from 'react-dom'
import { bootAtom } from '#client/app/boot.ts'
import { clockAtom, serverClockAtom, tickingClockAtom } from '#client/app/clock.ts'
import { isDocumentLoad, viewAtom } from '#client/app/router/page.ts'
import { Picture } from '#client/ui/picture.tsx'
import { Stats } from '#client/ui/stats.tsx'
import { HERO_PICTURE_SIZE } from '#shared/catalogue/pictures.ts'
import { getHomeGreeting } from '#shared/greeting.ts'
import { href } from '#shared/routes.ts'
import { shop } from '#shared/shop.ts'

const STATS = [
  { value: '1M+', label: 'Happy Families' },
  { value: '100%', label: 'Organic Cotton' },
  { value: '5-star', label: 'Customer Rating' },
]

const FEATURE_MS = 3000

const FEATURES = [
  '100% Organic Cotton',
  'Eco-Friendly Materials',
  'Hypoallergenic & Safe',
  'Sustainable Production',
  'Family Approved',
  'Premium Quality',
] as const

const CHAT_DEADLINE_MS = 3000

function HomePage() {
  const { chatScript } = useAtomValue(bootAtom)
  useEffect(() => (chatScript ? loadChatWidget(chatScript) : undefined), [chatScript])

  const view = useAtomValue(viewAtom)
  const updateClock = useSetAtom(clockAtom)
  const [isCovered, setIsCovered] = useState(view !== null && isDocumentLoad(view))
  const uncover = useCallback(() => {
    updateClock()
    setIsCovered(false)
  }, [updateClock])
  return (
    <>
      {isCovered && <Splash onEnd={uncover} />}
      <Hero isCovered={isCovered} />
    </>
  )
}

/** The clock and the badge start when the splash ends (§ 2). */
function Hero({ isCovered }: { isCovered: boolean }) {
  const [isPaused, setIsPaused] = useState(false)
  const { savesData, hero } = useAtomValue(bootAtom)
  return (
    <section className="hero page page--wide">
      <div className="hero__words">
        <LiveClock isTicking={!isCovered} showsSeconds={!isPaused} />
        <h1 className="hero__headline">{shop.tagline}</h1>
        <div className="hero__badge">
          <FeatureBadge isPaused={isPaused || isCovered} />
          <button
            type="button"
            className="icon-button hero__pause"
            aria-pressed={isPaused}
            aria-label="Pause moving content"
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
        <Picture
          image={hero?.image ?? '/images/hero.svg'}
          alt={hero?.alt ?? ''}
          size={HERO_PICTURE_SIZE}
          savesData={savesData}
          width="960"
          height="1080"
        />
        <span className="hero__hint">Click to explore</span>
      </a>
    </section>
  )
}

function loadChatWidget(url: string): () => void {
  const script = document.createElement('script')
  script.src = url
  script.async = true
  const whenIdle = window.requestIdleCallback ?? ((load: () => void) => setTimeout(load, CHAT_DEADLINE_MS))
  const cancelIdle = window.cancelIdleCallback ?? clearTimeout
  const waiting = whenIdle(() => document.head.appendChild(script), { timeout: CHAT_DEADLINE_MS })
  return () => cancelIdle(waiting)
}

/** Cycles through the features (§ 2). */
function FeatureBadge({ isPaused }: { isPaused: boolean }) {
  const [turn, setTurn] = useState(0)

  useEffect(() => {
    if (isPaused) return
    const timer = setInterval(() => setTurn((current) => current + 1), FEATURE_MS)
    return () => clearInterval(timer)
  }, [isPaused])

  return (
    <p className="label">
      <span className={turn > 0 ? 'label__text label__text--new' : 'label__text'} key={turn}>
        {FEATURES[turn % FEATURES.length]}
      </span>
    </p>
  )
}

function LiveClock({ isTicking, showsSeconds }: { isTicking: boolean; showsSeconds: boolean }) {
  const { hour, text } = useAtomValue(isTicking ? tickingClockAtom : serverClockAtom)
  return (
    <p className="hero__greeting">
      <span>{getHomeGreeting(hour)}</span>
      <time>{showsSeconds ? text : text.slice(0, 'HH:MM'.length)}</time>
    </p>
  )
}

const SPLASH_MS = 2500
/** Tab is included, because it would move focus to a covered element. */
const DISMISS_KEYS = ['Escape', 'Tab']

/**
 * A CSS animation hides the splash even before hydration (§ 2). The timer removes it if the animation ended before
 * hydration.
 */
function Splash({ onEnd }: { onEnd: () => void }) {
  useEffect(() => {
    const endOnKey = ({ key }: KeyboardEvent) => DISMISS_KEYS.includes(key) && onEnd()
    const [firstPaint] = performance.getEntriesByType('paint')
    const elapsedMs = firstPaint ? performance.now() - firstPaint.startTime : 0
    const timer = setTimeout(onEnd, SPLASH_MS - elapsedMs)
    document.addEventListener('click', onEnd)
    document.addEventListener('keydown', endOnKey)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('click', onEnd)
      document.removeEventListener('keydown', endOnKey)
    }
  }, [onEnd])

  return (
    <div
      className="splash"
      // With flushSync, hiding and removing the splash recalculate styles only once.
      onAnimationEnd={({ animationName }) => animationName === 'hide' && flushSync(onEnd)}
    >
      <hr className="band" />
      <div className="splash__middle">
        <span className="splash__mark" />
        <p className="splash__name">{shop.name}</p>
        <span className="splash__seam" />
        <p>Preparing Your Perfect Fit...</p>
      </div>
      <hr className="band" />
    </div>
  )
}

export { HomePage as Page }
