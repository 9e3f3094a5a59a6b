import { linkOf, prefetch } from './navigate.ts'

type Connection = { saveData?: boolean }

/** Whether the shopper asked for little data, by the browser's word or the request's; nothing is fetched ahead then. */
function savesData(): boolean {
  const { connection } = navigator as Navigator & { connection?: Connection }
  return connection?.saveData === true || document.documentElement.classList.contains('saves-data')
}

/** Fetches a page's code and data as soon as the shopper is about to follow its link: hover, focus, touch. */
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
