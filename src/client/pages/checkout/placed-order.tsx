import { useAtomValue, useSetAtom } from 'jotai'
import { useEffect, useState } from 'react'
import { href } from '#shared/routes.ts'
import { loadOrderAtom, placedOrderAtom } from '../../state/order.ts'
import { OrderPlaced } from './order-placed.tsx'
import { Waiting } from './waiting.tsx'

/** The order of `/checkout?order=…`: placed a moment ago, or read again after a reload. */
export function PlacedOrder({ number }: { number: string }) {
  const placed = useAtomValue(placedOrderAtom)
  const load = useSetAtom(loadOrderAtom)
  const [problem, setProblem] = useState<'failed' | 'unknown'>()

  useEffect(() => {
    let isLeft = false
    void load(number).then((found) => isLeft || setProblem(found))
    return () => {
      isLeft = true
    }
  }, [number, load])

  if (placed?.order.number === number) return <OrderPlaced {...placed} />
  if (!problem) return <Waiting words="Loading..." />
  return (
    <div className="notice">
      <h2>{problem === 'unknown' ? `We know of no order ${number}` : 'Your order could not be shown'}</h2>
      <p>
        {problem === 'unknown'
          ? 'It may have been placed with another account.'
          : 'There is no connection to the shop just now. Please reload this page in a moment.'}
      </p>
      <a className="button" href={href('dashboard')}>
        Your orders
      </a>
    </div>
  )
}
