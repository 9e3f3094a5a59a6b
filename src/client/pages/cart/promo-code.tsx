import { useAtomValue, useSetAtom } from 'jotai'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Cart } from '#shared/rules/cart.ts'
import {
  applyPromotionAtom,
  promotionAtom,
  promotionEffect,
  promotionNewsAtom,
  recheckPromotionAtom,
} from '../../state/promotion.ts'

/** How long the cart must rest before its code is checked again. */
const RECHECK_AFTER_MS = 800

/** The promo code: an input with "Apply", or the applied code with the way to remove it (§ 2). */
export function PromoCode({ cart }: { cart: Cart }) {
  const promotion = useAtomValue(promotionAtom)
  const setPromotion = useSetAtom(promotionAtom)
  const news = useAtomValue(promotionNewsAtom)
  const apply = useSetAtom(applyPromotionAtom)
  const recheck = useSetAtom(recheckPromotionAtom)
  const [problem, setProblem] = useState('')
  const [isChecking, setIsChecking] = useState(false)
  const input = useRef<HTMLInputElement>(null)
  const remove = useRef<HTMLButtonElement>(null)
  const isOurs = useRef(false)

  // The control that was used is gone: its successor takes the focus.
  useEffect(() => {
    if (isOurs.current) (promotion ? remove : input).current?.focus()
    isOurs.current = false
  }, [promotion])

  useEffect(() => {
    const timer = setTimeout(() => void recheck(cart), RECHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [cart, recheck])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isChecking) return
    setIsChecking(true)
    isOurs.current = true
    const found = await apply(input.current?.value ?? '', cart)
    setIsChecking(false)
    setProblem(found ?? '')
    if (found) input.current?.focus()
  }

  function dismiss() {
    isOurs.current = true
    setPromotion(() => null)
  }

  if (promotion) {
    return (
      <div className="promo__applied">
        <p role="status">{promotionEffect(promotion, cart)}</p>
        <button ref={remove} type="button" className="text-button" onClick={dismiss}>
          Remove
          <span className="visually-hidden">{` promo code ${promotion.code}`}</span>
        </button>
      </div>
    )
  }
  const message = problem || news
  return (
    <form className="field" noValidate onSubmit={submit}>
      <label htmlFor="promo">Promo code</label>
      <div className="promo__row">
        <input
          ref={input}
          id="promo"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          aria-invalid={message !== '' || undefined}
          aria-describedby="promo-problem"
          onChange={() => setProblem('')}
        />
        <button type="submit" className="button button--quiet" aria-busy={isChecking}>
          Apply
        </button>
      </div>
      <p id="promo-problem" className="field__error" role="status">
        {message}
      </p>
    </form>
  )
}
