import { useAtomValue } from 'jotai'
import { useEffect, useRef, useState } from 'react'
import { bootAtom } from '#client/app/boot.ts'
import { tickingClockAtom } from '#client/app/clock.ts'
import { isDocumentLoad, viewAtom } from '#client/app/router/page.ts'
import { Picture } from '#client/ui/picture.tsx'
import { Stats } from '#client/ui/stats.tsx'
import { HERO } from '#shared/catalogue/pictures.ts'
import { homeGreeting } from '#shared/greeting.ts'
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

/** Also loads the chat widget in a browser that is never idle. */
const CHAT_DEADLINE_MS = 3000

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
  const { savesData, hero } = useAtomValue(bootAtom)
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
            aria-label="Pause badge and clock"
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
          size={HERO}
          savesData={savesData}
          width="960"
          height="1080"
        />
        <span className="hero__hint">Click to explore</span>
      </a>
    </section>
  )
}

function loadChatWidget(address: string): () => void {
  const script = document.createElement('script')
  script.src = address
  script.async = true
  const whenIdle = window.requestIdleCallback ?? ((load: () => void) => setTimeout(load, CHAT_DEADLINE_MS))
  const cancelIdle = window.cancelIdleCallback ?? clearTimeout
  const waiting = whenIdle(() => document.head.appendChild(script), { timeout: CHAT_DEADLINE_MS })
  return () => cancelIdle(waiting)
}

/** Rotates the features (§ 2) without announcing them to screen readers. */
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

function LiveClock({ withSeconds }: { withSeconds: boolean }) {
  const { hour, text } = useAtomValue(tickingClockAtom)
  return (
    <p className="hero__greeting">
      <span>{homeGreeting(hour)}</span>
      <time>{withSeconds ? text : text.slice(0, 'HH:MM'.length)}</time>
    </p>
  )
}

const SPLASH_MS = 2500
/** Tab ends the splash because it would focus a covered element. */
const DISMISS_KEYS = ['Escape', 'Tab']

/**
 * Covers Home on a full load (§ 2). Without JavaScript, a CSS animation ends it after the same time; the elapsed time
 * is read from that animation.
 */
function Splash() {
  const splash = useRef<HTMLDivElement>(null)
  const view = useAtomValue(viewAtom)
  const [isVisible, setIsVisible] = useState(view !== null && isDocumentLoad(view))

  useEffect(() => {
    if (!isVisible) return
    const dismiss = () => setIsVisible(false)
    const dismissOnKey = ({ key }: KeyboardEvent) => DISMISS_KEYS.includes(key) && dismiss()
    const elapsedMs = Number(splash.current?.getAnimations()[0]?.currentTime ?? 0)
    const timer = setTimeout(dismiss, SPLASH_MS - elapsedMs)
    document.addEventListener('click', dismiss)
    document.addEventListener('keydown', dismissOnKey)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('click', dismiss)
      document.removeEventListener('keydown', dismissOnKey)
    }
  }, [isVisible])

  if (!isVisible) return null
  return (
    <div className="splash" ref={splash}>
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
