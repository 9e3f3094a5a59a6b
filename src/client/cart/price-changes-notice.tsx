import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect, useRef, useState } from 'react'
import { keepAmountsUnbroken } from '#shared/format.ts'
import { applyCartChangesAtom, cartChangesAtom, checkCartChangesAtom } from './price-changes.ts'
import { cartLineCountAtom } from './stored-cart.ts'

export function CartChangesNotice() {
  const isFilled = useAtomValue(cartLineCountAtom) > 0
  const changes = useAtomValue(cartChangesAtom)
  const compare = useSetAtom(checkCartChangesAtom)
  const update = useSetAtom(applyCartChangesAtom)
  const [isUpdated, setIsUpdated] = useState(false)
  const regionRef = useRef<HTMLDivElement>(null)

  useEffect(() => {
    if (isFilled) void compare()
  }, [isFilled, compare])

  const onUpdate = () => {
    update()
    setIsUpdated(true)
    regionRef.current?.focus({ preventScroll: true })
  }
  return (
    <div className="cart-changes" role="status" tabIndex={-1} ref={regionRef}>
      {changes.length > 0 && (
        <div className="banner">
          <div className="stack stack--s">
            <p>Your cart is out of date:</p>
            <ul>
              {changes.map((change) => (
                <li key={change}>{keepAmountsUnbroken(change)}</li>
              ))}
            </ul>
            <button type="button" className="button button--quiet" onClick={onUpdate}>
              Update cart
            </button>
          </div>
        </div>
      )}
      {changes.length === 0 && isUpdated && <p className="banner">Your cart is up to date.</p>}
    </div>
  )
}
