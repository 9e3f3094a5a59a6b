import { useEffect, useState } from 'react'

/** How long each feature is shown (§ 2, § 9). */
const FEATURE_MS = 3000

/** What the badge shows in turn (§ 2). */
export const FEATURES = [
  '100% Organic Cotton',
  'Eco-Friendly Materials',
  'Hypoallergenic & Safe',
  'Sustainable Production',
  'Family Approved',
  'Premium Quality',
] as const

/** A sewn-on label that shows one feature after the other (§ 2). It changes silently: screen readers are not told. */
export function FeatureBadge({ isPaused }: { isPaused: boolean }) {
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
