import { type Context, Hono } from 'hono'
import * as z from 'zod/mini'
import { formatItemName } from '#office/catalogue/item-name.ts'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { DateTime } from '#office/platform/date-time.tsx'
import { readForm } from '#office/platform/form.ts'
import { Confirmation, renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath, RESERVATIONS_PATH } from '#office/platform/sections.ts'
import { readLatestCatalogue } from '#server/catalogue/catalogue-versions.ts'
import {
  listReservations,
  type Reservation,
  releaseReservations,
} from '#server/orders/release-reservations.ts'
import { formatFullName } from '#shared/accounts/account-forms.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { formatMoney } from '#shared/format.ts'

const RELEASE_PATH = `${RESERVATIONS_PATH}/release`

const releaseFormSchema = z.object({
  numbers: z.string().check(z.regex(/^[A-Z]+-\w{6}(,[A-Z]+-\w{6})*$/), z.maxLength(1000)),
})

const CHANGED_MESSAGE =
  'Some of these orders have just been paid or have expired. Nothing was released. Please check the list and try again.'

export function reservationRoutes(ctx: OfficeContext) {
  async function show(c: Context<OfficeEnv>, notice: { notice?: string; isError?: boolean } = {}) {
    const [reservations, catalogue] = await Promise.all([
      listReservations(c.var.ownerContext()),
      readLatestCatalogue(ctx),
    ])
    return renderOfficePage(
      c,
      {
        title: 'Reservations',
        section: 'stock',
        ...notice,
        children: <ReservationList reservations={reservations} catalogue={catalogue} />,
      },
      notice.isError ? 409 : 200,
    )
  }

  return new Hono<OfficeEnv>()
    .get(RESERVATIONS_PATH, (c) => show(c, c.req.query('done') ? { notice: 'Reservations released.' } : {}))
    .get(RELEASE_PATH, async (c) => {
      const query = releaseFormSchema.safeParse(c.req.query())
      const numbers = query.success ? query.data.numbers.split(',') : []
      const reserved = (await listReservations(c.var.ownerContext())).map(({ number }) => number)
      if (numbers.length === 0 || !numbers.every((number) => reserved.includes(number)))
        return show(c, { notice: CHANGED_MESSAGE, isError: true })
      const [first] = numbers
      const orders = numbers.length === 1 ? `Order ${first} expires` : `These ${numbers.length} orders expire`
      return renderOfficePage(c, {
        title: 'Release reservations',
        section: 'stock',
        children: (
          <Confirmation
            heading={
              numbers.length === 1
                ? `Release the reservation of ${first}?`
                : `Release ${numbers.length} reservations?`
            }
            sentence={`${orders}, and others can buy what was reserved. If a payment still arrives, the order is placed or the payment refunded. This can’t be undone.`}
            action={RESERVATIONS_PATH}
            fields={{ numbers: numbers.join(',') }}
            button={numbers.length === 1 ? 'Release reservation' : `Release ${numbers.length} reservations`}
            back={RESERVATIONS_PATH}
          />
        ),
      })
    })
    .post(RESERVATIONS_PATH, async (c) => {
      const form = await readForm(c, releaseFormSchema)
      if (form instanceof Response) return form
      const numbers = form.numbers.split(',')
      const released = await releaseReservations({ numbers, actor: c.var.identity }, ctx)
      if (!released.ok) return show(c, { notice: CHANGED_MESSAGE, isError: true })
      return c.redirect(`${RESERVATIONS_PATH}?done=released`, 303)
    })
}

type ReservationListProps = { reservations: readonly Reservation[]; catalogue: Catalogue }

function ReservationList({ reservations, catalogue }: ReservationListProps) {
  const numbers = reservations.map(({ number }) => number)
  return (
    <>
      <h1>Reservations</h1>
      {reservations.length === 0 ? (
        <p className="empty">
          No reservations. Stock and promo codes reserved by unpaid orders will appear here.
        </p>
      ) : (
        <p>
          Unpaid orders have reserved this stock and these promo codes. Each reservation expires at the time
          shown. If you release it, the order expires too. If a payment still arrives, the order is placed or
          the payment refunded.
        </p>
      )}
      <ul className="rows">
        {reservations.map((reservation) => (
          <ReservationRow key={reservation.number} reservation={reservation} catalogue={catalogue} />
        ))}
      </ul>
      {numbers.length > 1 ? (
        <ReleaseLink numbers={numbers} label={`Release all ${numbers.length} reservations`} />
      ) : null}
    </>
  )
}

type ReservationRowProps = { reservation: Reservation; catalogue: Catalogue }

function ReservationRow({ reservation, catalogue }: ReservationRowProps) {
  const { number, totalCents, items, promoCode, expiresAtMs } = reservation
  const reserved = [
    ...items.map(({ itemId, qty }) => `${qty} × ${formatItemName(itemId, catalogue)}`),
    ...(promoCode ? [`promo code ${promoCode}`] : []),
  ]
  return (
    <li className="row row--count">
      <div>
        <a className="row-link" href={getOrderPath(number)}>
          {number} {formatFullName(reservation)}, {formatMoney(totalCents)}
          <span className="note">{reserved.join(', ')}</span>
          {expiresAtMs === null ? null : (
            <span className="note">
              Until <DateTime atMs={expiresAtMs} isInline />
            </span>
          )}
        </a>
      </div>
      <ReleaseLink numbers={[number]} label="Release" />
    </li>
  )
}

function ReleaseLink({ numbers, label }: { numbers: readonly string[]; label: string }) {
  return (
    <a
      className="button button--quiet"
      href={`${RELEASE_PATH}?${new URLSearchParams({ numbers: numbers.join(',') })}`}
    >
      {label} {numbers.length === 1 ? <span className="visually-hidden">{numbers[0]}</span> : null}
    </a>
  )
}
