import { useState } from 'react'
import { PLACEHOLDER_IMAGE } from '#shared/rules/cart.ts'

/** A line's picture beside its title; the placeholder where it fails to load (§ 2, § 8). Decorative: the title is text. */
export function ProductImage({ src }: { src: string }) {
  const [failed, setFailed] = useState<string>()
  return (
    <img
      className="thumb"
      src={failed === src ? PLACEHOLDER_IMAGE : src}
      onError={() => setFailed(src)}
      alt=""
      width="96"
      height="120"
      decoding="async"
    />
  )
}
