import { useAtomValue } from 'jotai'
import { yearAt } from '#shared/rules/greeting.ts'
import { shop } from '#shared/shop.ts'
import { bootAtom } from '../state/boot.ts'

/** The year, the shop, its city, its rights and its designer (§ 2). */
export function Footer() {
  const year = yearAt(useAtomValue(bootAtom).nowMs, shop.timeZone)
  return (
    <footer className="footer">
      <hr className="band" />
      <div className="footer__row">
        <p>{`© ${year} ${shop.name}, ${shop.city}. All rights reserved.`}</p>
        <p>{`Designed by ${shop.designer}`}</p>
      </div>
    </footer>
  )
}
