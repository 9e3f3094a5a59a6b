import { useAtom } from 'jotai'
import { useEffect, useState } from 'react'
import { storedAtom } from '#client/app/stored-atom.ts'

/** What a cart link added and what it couldn't. Stored, because each page may be a separate document. */
export const linkOutcomeAtom = storedAtom<readonly string[]>({
  key: 'cart-link',
  storage: 'session',
  empty: [],
  parse: (text) => [JSON.parse(text)].flat().filter((sentence) => typeof sentence === 'string'),
})

/** Shown on the login page, and for the last time on the cart page. */
export function LinkOutcome({ isLast = false }: { isLast?: boolean }) {
  const [stored, setStored] = useAtom(linkOutcomeAtom)
  const [sentences, setSentences] = useState<readonly string[]>([])

  useEffect(() => {
    if (!stored || stored.length === 0) return
    setSentences(stored)
    if (isLast) setStored(() => null)
  }, [stored, isLast, setStored])

  return (
    <div role="status">
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
