import { getOrderReturnsPath } from '#office/platform/sections.ts'
import type { OrderLineRow } from '#server/orders/order-record.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { formatNameWithSize } from '#shared/format.ts'
import {
  RETURN_KIND_LABELS,
  RETURN_KINDS,
  RETURN_NOTE_MAX_CHARACTERS,
  RETURN_REASON_LABELS,
  RETURN_REASONS,
} from '#shared/orders/returns.ts'
import { ReplacementSelect } from './replacement-select.tsx'

type NewReturnFormProps = {
  number: string
  revision: number
  lines: readonly (OrderLineRow & { returnableQty: number })[]
  catalogue: Catalogue
  entered: FormFields | undefined
}

export function NewReturnForm({ number, revision, lines, catalogue, entered }: NewReturnFormProps) {
  return (
    <section className="panel">
      <h2>New return or exchange</h2>
      <form className="inline" method="post" action={getOrderReturnsPath(number)}>
        <input type="hidden" name="revision" value={revision} />
        <fieldset className="choices">
          <legend>Return or exchange</legend>
          {RETURN_KINDS.map((kind) => (
            <label className="choice" key={kind}>
              <input
                type="radio"
                name="kind"
                value={kind}
                defaultChecked={(entered?.('kind') ?? 'return') === kind}
              />{' '}
              {RETURN_KIND_LABELS[kind]}
            </label>
          ))}
        </fieldset>
        {lines.map((line, index) => (
          <div className="inline" key={line.position}>
            <input type="hidden" name={`line-${index}`} value={`${line.productId}-${line.unitPriceCents}`} />
            <div className="field">
              <label htmlFor={`qty-${index}`}>
                {formatNameWithSize(line.title, line.size)}: quantity (up to {line.returnableQty})
              </label>
              <input
                id={`qty-${index}`}
                name={`qty-${index}`}
                inputMode="numeric"
                autoComplete="off"
                maxLength={2}
                defaultValue={entered?.(`qty-${index}`) ?? 0}
              />
            </div>
            <ReplacementSelect
              id={`for-${index}`}
              index={index}
              line={line}
              catalogue={catalogue}
              selected={entered?.(`for-${index}`)}
              other={entered?.(`other-${index}`)}
            />
          </div>
        ))}
        <p className="note">Choose a replacement only for an exchange. We’ll reserve it for 14 days.</p>
        <div className="field">
          <label htmlFor="reason">Reason</label>
          <select id="reason" name="reason" defaultValue={entered?.('reason')}>
            {RETURN_REASONS.map((reason) => (
              <option key={reason} value={reason}>
                {RETURN_REASON_LABELS[reason]}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="note">Note (optional)</label>
          <textarea
            id="note"
            name="note"
            rows={2}
            maxLength={RETURN_NOTE_MAX_CHARACTERS}
            defaultValue={entered?.('note')}
          />
        </div>
        <button className="button" type="submit" name="returnAction" value="create">
          {' '}
          Create return or exchange
        </button>
      </form>
    </section>
  )
}
