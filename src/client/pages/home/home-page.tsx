import { useAtomValue } from 'jotai'
import { useEffect, useState } from 'react'
import { href } from '#shared/routes.ts'
import type { PageModule } from '../../router/page.ts'
import { bootAtom } from '../../state/boot.ts'
import { Stats } from '../../ui/stats.tsx'
import { loadChatWidget } from './chat-widget.ts'
import { FeatureBadge } from './feature-badge.tsx'
import { LiveClock } from './live-clock.tsx'
import { Splash } from './splash.tsx'

/** The figures under the headline (§ 2). */
const STATS = [
  { value: '1M+', label: 'Happy Families' },
  { value: '100%', label: 'Organic Cotton' },
  { value: '5-star', label: 'Customer Rating' },
]

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
        <h1 className="hero__headline">Sustainable Fashion for Little Ones</h1>
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
          src={savesData ? '/images/hero.light.svg' : '/images/hero.svg'}
          alt=""
          width="960"
          height="1080"
        />
        <span className="hero__hint">Click to explore</span>
      </a>
    </section>
  )
}

export const page: PageModule<'home'> = { Page: HomePage, load: () => null }
