import { useAtomValue, useSetAtom } from 'jotai'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import type { Cart } from '#shared/cart/cart.ts'
import {
  applyPromotionAtom,
  describePromotionEffect,
  promotionAtom,
  promotionNoticeAtom,
  recheckPromotionAtom,
} from './promotion.ts'

const RECHECK_AFTER_MS = 800

export function PromoCode({ cart }: { cart: Cart }) {
  const promotion = useAtomValue(promotionAtom)
  const setPromotion = useSetAtom(promotionAtom)
  const notice = useAtomValue(promotionNoticeAtom)
  const apply = useSetAtom(applyPromotionAtom)
  const recheck = useSetAtom(recheckPromotionAtom)
  const [error, setError] = useState('')
  const [isChecking, setIsChecking] = useState(false)
  const inputRef = useRef<HTMLInputElement>(null)
  const removeRef = useRef<HTMLButtonElement>(null)
  const shouldMoveFocusRef = useRef(false)

  useEffect(() => {
    if (shouldMoveFocusRef.current) (promotion ? removeRef : inputRef).current?.focus()
    shouldMoveFocusRef.current = false
  }, [promotion])

  useEffect(() => {
    const timer = setTimeout(() => void recheck(cart), RECHECK_AFTER_MS)
    return () => clearTimeout(timer)
  }, [cart, recheck])

  async function submit(event: FormEvent) {
    event.preventDefault()
    if (isChecking) return
    setIsChecking(true)
    shouldMoveFocusRef.current = true
    const failure = await apply(inputRef.current?.value ?? '', cart)
    setIsChecking(false)
    setError(failure ?? '')
    if (failure) inputRef.current?.focus()
  }

  function removeCode() {
    shouldMoveFocusRef.current = true
    setPromotion(() => null)
  }

  if (promotion) {
    return (
      <div className="spread">
        <p role="status">{describePromotionEffect(promotion, cart)}</p>
        <button ref={removeRef} type="button" className="text-button" onClick={removeCode}>
          Remove
          <span className="visually-hidden">{` promo code ${promotion.code}`}</span>
        </button>
      </div>
    )
  }
  const message = error || notice
  return (
    <form className="field" noValidate onSubmit={submit}>
      <label htmlFor="promo">Promo code</label>
      <div className="promo__row">
        <input
          ref={inputRef}
          id="promo"
          autoComplete="off"
          autoCapitalize="characters"
          spellCheck={false}
          aria-invalid={message !== '' || undefined}
          aria-describedby="promo-error"
          onChange={() => setError('')}
        />
        <button type="submit" className="button button--quiet" aria-busy={isChecking}>
          Apply
        </button>
      </div>
      <p id="promo-error" className="field__error" role="status">
        {message}
      </p>
    </form>
  )
}
