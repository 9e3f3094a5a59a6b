import { type Context, Hono } from 'hono'
import {
  ItemPicker,
  type PickedItems,
  parsePickedItems,
  QTY_MESSAGE,
  readCatalogueWithStock,
} from '#office/catalogue/item-picker.tsx'
import type { OfficeContext, OfficeEnv } from '#office/context.ts'
import { renderFormError, startHousekeeping } from '#office/platform/form.ts'
import { renderErrorPage, renderOfficePage } from '#office/platform/layout.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import type { Content } from '#server/content/content-source.ts'
import { getDeliveryTerms } from '#server/content/delivery-terms.ts'
import { readLatestContent } from '#server/content/edit-content.ts'
import { readOrderDetails } from '#server/orders/office-order.ts'
import { placeOfficeOrder } from '#server/orders/place-office-order.ts'
import { recordManualPayment } from '#server/orders/record-manual-payment.ts'
import type { OwnerContext } from '#server/platform/auth/owner-context.ts'
import { newId } from '#server/platform/crypto.ts'
import { type FormFields, parseForm } from '#server/platform/http/body.ts'
import { formatServiceError } from '#server/platform/result.ts'
import { readPromotion } from '#server/promotions/list-promotions.ts'
import { validatePromotion } from '#server/promotions/promotions.ts'
import { toSingleLine } from '#shared/api-call.ts'
import type { Cart } from '#shared/cart/cart.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import {
  type CashTerms,
  createDeliveryTerms,
  type DeliveryMethod,
  quoteDelivery,
} from '#shared/checkout/delivery.ts'
import { VAT_PERCENT } from '#shared/checkout/fees.ts'
import {
  calculateCheckoutTotals,
  calculateSubtotalCents,
  type OrderTotals,
} from '#shared/checkout/pricing.ts'
import { centsToKsh, formatMoney, kshToCents } from '#shared/format.ts'
import { cleanOrderField, IDEMPOTENCY_KEY_PATTERN } from '#shared/orders/contract.ts'
import { getOrderFieldDefinition } from '#shared/orders/fields.ts'
import {
  DEFAULT_PAYMENT_LINK_HOURS,
  OFFICE_ORDER_FIELDS,
  type OfficeOrderField,
  type OfficeOrderValues,
  PAYMENT_LINK_HOURS,
} from '#shared/orders/office-order.ts'
import { MANUAL_PAYMENT_LABELS, MANUAL_PAYMENT_TYPES } from '#shared/payments/providers.ts'
import { deliverySettings } from '#shared/shop.ts'
import { renderOrderPage } from './order-page.tsx'

const NEW_ORDER_PATH = '/new-order'
const ON_DELIVERY = 'on-delivery'

type EnteredOrder = PickedItems & {
  key: string
  query: string
  values: OfficeOrderValues
  method: DeliveryMethod
  promoCode: string
  hours: number
  /** `link`, `on-delivery`, or the method of a payment already received. */
  payment: string
  reference: string
}
type PublishedContent = { catalogue: Catalogue; content: Content }
type OrderProblem = { message: string; errors: Readonly<Record<string, string>> }

export function newOrderRoutes(ctx: OfficeContext) {
  const terms = createDeliveryTerms(deliverySettings)

  async function readPublished(owner: OwnerContext<OfficeContext>): Promise<PublishedContent> {
    const [catalogue, content] = await Promise.all([readCatalogueWithStock(owner), readLatestContent(ctx)])
    return { catalogue, content }
  }

  async function renderPage(
    c: Context<OfficeEnv>,
    { catalogue, content }: PublishedContent,
    entered: EnteredOrder,
    problem?: OrderProblem,
  ) {
    const { lines, method, values, promoCode } = entered
    const deliveryQuote = quoteDelivery(terms, { method, county: values.state })
    const promotion = await readValidPromotion(promoCode, lines)
    const discount = promotion?.ok ? promotion.data : null
    const totals =
      entered.invalidQtys.size > 0 || lines.length === 0
        ? undefined
        : calculateCheckoutTotals(lines, discount, deliveryQuote.feeKsh)
    const promoError =
      promotion && !promotion.ok && lines.length > 0
        ? { promoCode: formatServiceError(promotion.error) }
        : undefined
    const { cash } = getDeliveryTerms({ delivery: terms, content: { current: () => content } })
    return renderOfficePage(
      c,
      {
        title: 'New order',
        section: 'orders',
        ...(problem ? { notice: problem.message, isError: true } : {}),
        children: (
          <NewOrderForm
            catalogue={catalogue}
            entered={entered}
            totals={totals}
            cash={cash}
            pickup={terms.pickup}
            errors={{ ...promoError, ...problem?.errors }}
          />
        ),
      },
      problem ? 409 : 200,
    )
  }

  async function readValidPromotion(code: string, lines: Cart) {
    if (!code) return undefined
    return validatePromotion(await readPromotion(code, ctx), calculateSubtotalCents(lines), ctx.clock())
  }

  function readEntered(field: FormFields, catalogue: Catalogue): EnteredOrder {
    const values = Object.fromEntries(
      OFFICE_ORDER_FIELDS.map((name) => [name, cleanOrderField(name, field(name))]),
    ) as OfficeOrderValues
    const key = field('key')
    return {
      key: IDEMPOTENCY_KEY_PATTERN.test(key) ? key : newId(ctx),
      query: field('q'),
      ...parsePickedItems(field, catalogue),
      values: { ...values, state: values.state || COUNTIES[0] },
      method: field('method') === 'pickup' && terms.pickup ? 'pickup' : 'delivery',
      promoCode: field('promoCode').trim().toUpperCase().slice(0, 40),
      payment: field('payment') || 'link',
      reference: toSingleLine(field('reference')).slice(0, 40),
      hours:
        PAYMENT_LINK_HOURS.find((hours) => String(hours) === field('hours')) ?? DEFAULT_PAYMENT_LINK_HOURS,
    }
  }

  return new Hono<OfficeEnv>()
    .get(NEW_ORDER_PATH, async (c) => {
      const published = await readPublished(c.var.ownerContext())
      const query = c.req.query()
      const field = Object.assign((name: string) => query[name] ?? '', { names: Object.keys(query) })
      return renderPage(c, published, readEntered(field, published.catalogue))
    })
    .post(NEW_ORDER_PATH, async (c) => {
      const form = await parseForm(c)
      if (!form.ok) return renderFormError(c, form.error)
      const field = form.data
      const published = await readPublished(c.var.ownerContext())
      const { catalogue, content } = published
      const entered = readEntered(field, catalogue)
      if (entered.invalidQtys.size > 0)
        return renderPage(c, published, entered, { message: QTY_MESSAGE, errors: {} })
      if (field('create') === '') return renderPage(c, published, entered)
      const paysOnDelivery = entered.payment === ON_DELIVERY
      const type = MANUAL_PAYMENT_TYPES.find((name) => name === entered.payment)
      if (!type && entered.reference)
        return renderPage(c, published, entered, {
          message: REFERENCE_WITHOUT_PAYMENT_MESSAGE,
          errors: { reference: REFERENCE_WITHOUT_PAYMENT_MESSAGE },
        })
      const placed = await placeOfficeOrder(
        {
          ...entered,
          paysOnDelivery,
          expectedTotalKsh: Number(field('total')) || 0,
          actor: c.var.identity,
        },
        {
          ...ctx,
          delivery: terms,
          catalogue: { load: async () => catalogue },
          content: { current: () => content },
        },
      )
      if (!placed.ok) {
        const { error } = placed
        return renderPage(c, published, entered, {
          message: error.code === 'prices_changed' ? TOTAL_CHANGED_MESSAGE : formatServiceError(error),
          errors: error.fieldErrors ?? {},
        })
      }
      const { number, totalCents } = placed.data.record.row
      if (!type && !paysOnDelivery && totalCents > 0)
        return c.redirect(`${getOrderPath(number)}/payment-link`, 303)
      // If the form is submitted twice, the first submission has already recorded the payment.
      if (type && placed.data.record.payments.length === 0) {
        const recorded = await recordManualPayment(
          { number, type, reference: entered.reference, actor: c.var.identity },
          ctx,
        )
        if (!recorded.ok) {
          const order = await readOrderDetails(number, c.var.ownerContext())
          if (!order) return renderErrorPage(c, 404, 'We can’t find this order.')
          const notice = `Order created, but we couldn’t record the payment: ${formatServiceError(recorded.error)}`
          const { reference } = entered
          return renderOrderPage(c, order, { notice, isError: true }, { type, reference })
        }
      }
      if (!placed.data.isReplay) await startHousekeeping(c, ctx)
      return c.redirect(`${getOrderPath(number)}?done=created`, 303)
    })
}

const REFERENCE_WITHOUT_PAYMENT_MESSAGE =
  'You entered a payment reference. Please choose how the customer has paid, or remove the reference.'
const TOTAL_CHANGED_MESSAGE = 'The total has changed. Please check it, then create the order.'

type NewOrderFormProps = {
  catalogue: Catalogue
  entered: EnteredOrder
  /** Undefined without products, or if a quantity is invalid. */
  totals: OrderTotals | undefined
  cash: CashTerms | undefined
  pickup: string
  errors: OrderProblem['errors']
}

function NewOrderForm({ catalogue, entered, totals, cash, pickup, errors }: NewOrderFormProps) {
  const { key, query, lines, invalidQtys, values, method, promoCode } = entered
  const { promoCode: promoError } = errors
  return (
    <>
      <h1>New order</h1>
      <form className="new-order" method="post" action={NEW_ORDER_PATH}>
        <input type="hidden" name="key" value={key} />
        <input type="hidden" name="total" value={totals ? centsToKsh(totals.totalCents) : ''} />
        <section className="panel">
          <h2>Products</h2>
          <ItemPicker catalogue={catalogue} query={query} lines={lines} invalidQtys={invalidQtys} />
        </section>
        <section className="panel">
          <h2>Customer</h2>
          {pickup ? (
            <fieldset className="choices">
              <legend>Delivery or pickup</legend>
              <label className="order__choice">
                <input type="radio" name="method" value="delivery" defaultChecked={method === 'delivery'} />
                Delivery
              </label>
              <label className="order__choice">
                <input type="radio" name="method" value="pickup" defaultChecked={method === 'pickup'} />
                Pickup at {pickup}
              </label>
            </fieldset>
          ) : null}
          {OFFICE_ORDER_FIELDS.map((field) => (
            <CustomerField key={field} field={field} value={values[field]} problem={errors[field]} />
          ))}
        </section>
        <section className="panel">
          <h2>Total</h2>
          <div className="field">
            <label htmlFor="promoCode">Promo code (optional)</label>
            <input
              id="promoCode"
              name="promoCode"
              defaultValue={promoCode}
              autoComplete="off"
              maxLength={40}
              aria-invalid={promoError ? true : undefined}
              aria-describedby={promoError ? 'promoCode-error' : undefined}
            />
            {promoError ? (
              <p className="field__error" id="promoCode-error">
                {promoError}
              </p>
            ) : null}
          </div>
          <p>
            <button className="button button--quiet" type="submit">
              Update total
            </button>
          </p>
          {totals ? <NewOrderTotals totals={totals} /> : null}
          <PaymentFields entered={entered} cash={cash} problem={errors.reference} />
          <button className="button" type="submit" name="create" value="yes">
            {totals ? `Create order, ${formatMoney(totals.totalCents)}` : 'Create order'}
          </button>
        </section>
      </form>
    </>
  )
}

function PaymentFields({
  entered: { payment, hours, reference },
  cash,
  problem,
}: Pick<NewOrderFormProps, 'entered' | 'cash'> & { problem: string | undefined }) {
  return (
    <>
      <fieldset className="choices">
        <legend>Payment</legend>
        <label className="order__choice">
          <input type="radio" name="payment" value="link" defaultChecked={payment === 'link'} />
          Send a payment link
        </label>
        {cash ? (
          <label className="order__choice">
            <input type="radio" name="payment" value={ON_DELIVERY} defaultChecked={payment === ON_DELIVERY} />
            Cash on delivery (up to {formatMoney(kshToCents(cash.maxKsh))} in {cash.counties.join(', ')})
          </label>
        ) : null}
        {MANUAL_PAYMENT_TYPES.map((type) => (
          <label key={type} className="order__choice">
            <input type="radio" name="payment" value={type} defaultChecked={payment === type} />
            Already paid: {MANUAL_PAYMENT_LABELS[type]}
          </label>
        ))}
      </fieldset>
      <div className="field">
        <label htmlFor="hours">Keep the link valid and the products reserved for</label>
        <select id="hours" name="hours" defaultValue={hours}>
          {PAYMENT_LINK_HOURS.map((option) => (
            <option key={option} value={option}>
              {option > 48 ? `${option / 24} days` : `${option} hours`}
            </option>
          ))}
        </select>
      </div>
      <div className="field">
        <label htmlFor="reference">Payment reference (optional, if already paid)</label>
        <input
          id="reference"
          name="reference"
          defaultValue={reference}
          autoComplete="off"
          maxLength={40}
          aria-invalid={problem ? true : undefined}
          aria-describedby={problem ? 'reference-error' : undefined}
        />
        {problem ? (
          <p className="field__error" id="reference-error">
            {problem}
          </p>
        ) : null}
      </div>
    </>
  )
}

const OFFICE_LABELS: Partial<Record<OfficeOrderField, string>> = {
  lastName: 'Last name (optional)',
  phone: 'Phone',
  email: 'Email (optional)',
}

type CustomerFieldProps = { field: OfficeOrderField; value: string; problem: string | undefined }

function CustomerField({ field, value, problem }: CustomerFieldProps) {
  const { label, choice, rows, maxCharacters, input } = getOrderFieldDefinition(field)
  const errorId = `${field}-error`
  const control = {
    id: field,
    name: field,
    defaultValue: value,
    'aria-invalid': problem ? true : undefined,
    'aria-describedby': problem ? errorId : undefined,
  }
  return (
    <div className="field">
      <label htmlFor={field}>{OFFICE_LABELS[field] ?? label}</label>
      {choice ? (
        <select {...control}>
          {choice.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...control} rows={rows} maxLength={maxCharacters} />
      ) : (
        <input {...control} type={input.type ?? 'text'} autoComplete="off" maxLength={maxCharacters} />
      )}
      {problem ? (
        <p className="field__error" id={errorId}>
          {problem}
        </p>
      ) : null}
    </div>
  )
}

function NewOrderTotals({ totals }: { totals: OrderTotals }) {
  const { subtotalCents, discountCents, shippingCents, vatCents, roundingCents, totalCents } = totals
  const rows = [
    ['Subtotal', formatMoney(subtotalCents)],
    ...(discountCents > 0 ? [['Discount', formatMoney(-discountCents)]] : []),
    ['Shipping', shippingCents === 0 ? 'Free' : formatMoney(shippingCents)],
    [`VAT (${VAT_PERCENT}%)`, formatMoney(vatCents)],
    ...(roundingCents === 0 ? [] : [['Rounding', formatMoney(roundingCents)]]),
    ['Total', formatMoney(totalCents)],
  ]
  return (
    <dl className="facts">
      {rows.map(([label, amount]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{amount}</dd>
        </div>
      ))}
    </dl>
  )
}
