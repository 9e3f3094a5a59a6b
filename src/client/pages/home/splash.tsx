import { useAtomValue } from 'jotai'
import { useEffect, useRef, useState } from 'react'
import { shop } from '#shared/shop.ts'
import { isDocumentLoad, viewAtom } from '../../router/page.ts'

/** How long the splash covers Home (§ 2, § 9). */
const SPLASH_MS = 2500
/** Keys that end the splash: Escape, and Tab, which would focus something covered. */
const ENDING_KEYS = ['Escape', 'Tab']

/**
 * Covers Home on a full load (§ 2). Without scripts the stylesheet ends it after the same time, so the time since the
 * document was shown is read from its animation.
 */
export function Splash() {
  const splash = useRef<HTMLDivElement>(null)
  const view = useAtomValue(viewAtom)
  const [isShown, setIsShown] = useState(view !== null && isDocumentLoad(view))

  useEffect(() => {
    if (!isShown) return
    const end = () => setIsShown(false)
    const endOnKey = ({ key }: KeyboardEvent) => ENDING_KEYS.includes(key) && end()
    const shownMs = Number(splash.current?.getAnimations()[0]?.currentTime ?? 0)
    const timer = setTimeout(end, SPLASH_MS - shownMs)
    document.addEventListener('click', end)
    document.addEventListener('keydown', endOnKey)
    return () => {
      clearTimeout(timer)
      document.removeEventListener('click', end)
      document.removeEventListener('keydown', endOnKey)
    }
  }, [isShown])

  if (!isShown) return null
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
