import { savesData } from '../state/saves-data.ts'
import { linkOf, prefetch } from './navigate.ts'

/** Fetches a page's code and data as soon as the shopper is about to follow its link: hover, focus, touch; not to save data. */
export function watchIntent(): void {
  const prefetchLink = ({ target }: Event) => {
    const link = savesData() ? undefined : linkOf(target)
    if (link && !isHere(link)) prefetch(new URL(link.href))
  }
  for (const intent of ['pointerover', 'focusin', 'touchstart']) {
    document.addEventListener(intent, prefetchLink, { passive: true })
  }
}

function isHere({ pathname, search }: HTMLAnchorElement): boolean {
  return pathname === location.pathname && search === location.search
}
