import { useAtomValue } from 'jotai'
import type { MouseEvent } from 'react'
import { originAtom } from '#client/app/boot.ts'
import type { Product } from '#shared/catalogue/catalogue.ts'
import { href } from '#shared/routes.ts'

export function ShareLink({ product: { id, title } }: { product: Product }) {
  const url = useAtomValue(originAtom) + href('product', { id })

  function share(event: MouseEvent) {
    if (!('share' in navigator)) return
    event.preventDefault()
    // The promise rejects when the shopper closes the sheet.
    navigator.share({ title, url }).catch(() => {})
  }

  return (
    <a
      className="product__share"
      href={`https://wa.me/?text=${encodeURIComponent(`${title} ${url}`)}`}
      target="_blank"
      rel="noreferrer"
      onClick={share}
    >
      Share
    </a>
  )
}
