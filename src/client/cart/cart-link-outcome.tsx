import { useAtom } from 'jotai'
import { useEffect, useState } from 'react'
import { createStoredAtom } from '#client/app/stored-atom.ts'

/** The outcome is stored, because Login and the cart page may be separate documents. */
export const cartLinkOutcomeAtom = createStoredAtom<readonly string[]>({
  key: 'cart-link',
  storage: 'session',
  empty: [],
  parse: (text) => [JSON.parse(text)].flat().filter((sentence) => typeof sentence === 'string'),
})

/** The cart page is the last to show the outcome, and clears it. */
export function CartLinkOutcome({ isLast = false }: { isLast?: boolean }) {
  const [stored, setStored] = useAtom(cartLinkOutcomeAtom)
  const [sentences, setSentences] = useState<readonly string[]>([])

  useEffect(() => {
    if (!stored || stored.length === 0) return
    setSentences(stored)
    if (isLast) setStored(() => null)
  }, [stored, isLast, setStored])

  return (
    <div className={isLast ? 'cart-changes' : undefined} role="status">
      {sentences.length > 0 && (
        <div className="banner">
          <div className="stack stack--s">
            {sentences.map((sentence) => (
              <p key={sentence}>{sentence}</p>
            ))}
          </div>
        </div>
      )}
    </div>
  )
}
