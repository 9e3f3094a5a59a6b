import { FIELD_LABELS } from '#server/content/content-labels.ts'
import { COUNTIES } from '#shared/checkout/checkout-form.ts'
import { shop } from '#shared/shop.ts'
import { getCountyFieldName } from './entered-content.ts'

export function PaymentFields({ fields }: { fields: Readonly<Record<string, string>> }) {
  return (
    <>
      <fieldset className="choices">
        <legend>Cash on delivery</legend>
        <Checkbox name="cashOnDelivery" label={FIELD_LABELS['payments.cashOnDelivery']} fields={fields} />
        <p className="note">
          Customers pay the rider, in cash or by M-Pesa. Pickup orders are paid in advance.
        </p>
        <div className="field">
          <label htmlFor="cashMaxKsh">
            {FIELD_LABELS['payments.cashMaxKsh']}, in {shop.currency}
          </label>
          <input
            id="cashMaxKsh"
            name="cashMaxKsh"
            inputMode="numeric"
            defaultValue={fields.cashMaxKsh}
            autoComplete="off"
            placeholder="For example, 5,000"
          />
        </div>
        <fieldset className="choices choices--inline">
          <legend>{FIELD_LABELS['payments.cashCounties']}</legend>
          {COUNTIES.map((county) => (
            <Checkbox key={county} name={getCountyFieldName(county)} label={county} fields={fields} />
          ))}
        </fieldset>
      </fieldset>
      <fieldset className="choices">
        <legend>Payment from the M-Pesa menu</legend>
        <Checkbox name="payByHand" label={FIELD_LABELS['payments.payByHand']} fields={fields} />
        <p className="note">
          Unpaid orders show your M-Pesa till or paybill number and the order number, if M-Pesa is set up.
          Payments that we can’t match appear under <a href="/incoming">Payments to assign</a>, where you
          register with M-Pesa.
        </p>
      </fieldset>
    </>
  )
}

type CheckboxProps = {
  name: string
  label: string | undefined
  fields: Readonly<Record<string, string>>
}

function Checkbox({ name, label, fields }: CheckboxProps) {
  return (
    <label className="order__choice">
      <input type="checkbox" name={name} value="on" defaultChecked={fields[name] === 'on'} />
      {label}
    </label>
  )
}
