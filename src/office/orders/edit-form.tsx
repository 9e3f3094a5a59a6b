import { ItemSearch, parseQty } from '#office/catalogue/item-picker.tsx'
import { getOrderPath } from '#office/platform/sections.ts'
import type { EditPreview } from '#server/orders/edit-order.ts'
import type { OrderDetails } from '#server/orders/office-order.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItem, listProductItems } from '#shared/catalogue/items.ts'
import { formatList, formatMoney, formatNameWithSize, kshToCents } from '#shared/format.ts'
import type { RequestedLine } from '#shared/orders/edited-lines.ts'
import { EDITABLE_FIELDS, type EditableField, getOrderFieldDefinition } from '#shared/orders/fields.ts'
import { listEditableStatuses } from '#shared/orders/order-status.ts'

export type EnteredEdit = {
  expectedRevision: number
  fields: Partial<Record<EditableField, string>>
  /** `text` is the quantity as typed. */
  lines: readonly (RequestedLine & { text?: string })[]
  query: string
}

export function isInvalidLine({ text }: EnteredEdit['lines'][number]): boolean {
  return text !== undefined && parseQty(text) === undefined
}

type EditFormProps = {
  order: OrderDetails
  entered: EnteredEdit
  catalogue: Catalogue
  fieldErrors: Readonly<Record<string, string>>
  preview: EditPreview | undefined
}

/** Every button submits all fields, so that the form works without JavaScript. */
export function EditForm({ order: { row, lines }, entered, catalogue, fieldErrors, preview }: EditFormProps) {
  const hasLines = listEditableStatuses('lines').includes(row.status)
  return (
    <>
      <h1>Edit {row.number}</h1>
      <form className="inline" method="post" action={`${getOrderPath(row.number)}/edit`}>
        <input type="hidden" name="seen" value={entered.expectedRevision} />
        <input type="hidden" name="shown" value={preview ? formatShownTotal(preview) : ''} />
        <section className="panel">
          <h2>{row.pickup === null ? 'Delivery' : 'Pickup'}</h2>
          <div className="filters">
            {listEditableFields(row.pickup).map((field) => (
              <Field key={field} field={field} value={entered.fields[field]} problem={fieldErrors[field]} />
            ))}
          </div>
        </section>
        {hasLines ? (
          <section className="panel">
            <h2>Items</h2>
            <p className="note">
              Items already ordered keep their agreed price. Other items, other sizes and extra units are
              charged at today’s price. Shipping stays as agreed. To remove an item, set its quantity to 0. If
              the customer has paid more than the new total, saving refunds the difference.
            </p>
            <ul className="rows">
              {entered.lines.map((line, index) => (
                <LineFields
                  key={`${line.id}-${
                    // biome-ignore lint/suspicious/noArrayIndexKey: rendered once, without state
                    index
                  }`}
                  line={line}
                  index={index}
                  catalogue={catalogue}
                  orderLine={lines.find(({ productId }) => productId === line.id)}
                />
              ))}
            </ul>
            <ItemSearch catalogue={catalogue} query={entered.query} />
            <p>
              <button className="button button--quiet" type="submit">
                Update total
              </button>
            </p>
            {preview && preview.totalCents !== row.totalCents ? (
              <NewTotal preview={preview} previousCents={row.totalCents} />
            ) : null}
          </section>
        ) : (
          <p className="note">You can change the items once the order is paid.</p>
        )}
        <div className="actions">
          <button className="button" type="submit" name="save" value="1">
            {getSaveLabel(row.email, preview)}
          </button>
          <a className="button button--quiet" href={getOrderPath(row.number)}>
            Discard changes
          </a>
        </div>
      </form>
    </>
  )
}

/** Identifies the amounts on the form, so that other amounts are shown before an edit is saved. */
export function formatShownTotal({ totalCents, dueCents, refundCents }: EditPreview): string {
  return [totalCents, dueCents, refundCents].join('-')
}

function getSaveLabel(email: string, preview: EditPreview | undefined): string {
  const refund = preview && preview.refundCents > 0 ? `refund ${formatMoney(preview.refundCents)}` : ''
  return formatList(['Save changes', refund, email ? 'email the customer' : ''].filter(Boolean))
}

function NewTotal({ preview, previousCents }: { preview: EditPreview; previousCents: number }) {
  const { totalCents, dueCents, refundCents } = preview
  return (
    <p>
      New total: <strong>{formatMoney(totalCents)}</strong> (was {formatMoney(previousCents)}).
      {dueCents > 0 ? ` ${formatMoney(dueCents)} will be due.` : ''}
      {refundCents > 0 ? ` If you save, we’ll refund ${formatMoney(refundCents)}.` : ''}
    </p>
  )
}

export function listEditableFields(pickup: string | null): readonly EditableField[] {
  if (pickup === null) return EDITABLE_FIELDS
  return ['firstName', 'lastName', 'phone', 'giftNote']
}

type FieldProps = { field: EditableField; value: string | undefined; problem: string | undefined }

function Field({ field, value, problem }: FieldProps) {
  const { label, choice, rows, maxCharacters, input } = getOrderFieldDefinition(field)
  const errorId = `${field}-error`
  const common = {
    id: field,
    name: field,
    defaultValue: value,
    ...(problem ? { 'aria-invalid': true, 'aria-describedby': errorId } : {}),
  }
  return (
    <div className={input.isWide ? 'field field--wide' : 'field'}>
      <label htmlFor={field}>{field === 'phone' ? 'Phone (optional)' : label}</label>
      {choice ? (
        <select {...common}>
          {choice.options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </select>
      ) : rows ? (
        <textarea {...common} rows={rows} maxLength={maxCharacters} />
      ) : (
        <input
          {...common}
          type={input.type}
          inputMode={input.inputMode}
          maxLength={maxCharacters}
          autoComplete="off"
        />
      )}
      {problem ? (
        <p id={errorId} className="field__error">
          {problem}
        </p>
      ) : null}
    </div>
  )
}

type LineFieldsProps = {
  line: EnteredEdit['lines'][number]
  index: number
  catalogue: Catalogue
  /** Undefined if the edit added the item. */
  orderLine: OrderDetails['lines'][number] | undefined
}

function LineFields({ line, index, catalogue, orderLine }: LineFieldsProps) {
  const item = findItem(catalogue, line.id)
  const title = item?.product.title ?? orderLine?.title ?? `Product ${line.id}`
  const sizes = item?.product.sizing ? listProductItems(item.product) : []
  const priceCents = orderLine?.unitPriceCents ?? (item ? kshToCents(item.price) : 0)
  const name = formatNameWithSize(title, item?.size ?? orderLine?.size)
  return (
    <li className="row row--count">
      <div>
        <strong>{title}</strong>
        <span className="note">
          {formatMoney(priceCents)} each{orderLine ? '' : ', today’s price'}
        </span>
      </div>
      <div className="count">
        {sizes.length > 0 ? (
          <select name={`line-${index}`} aria-label={`Size of ${title}`} defaultValue={line.id}>
            {sizes.map(({ id, size }) => (
              <option key={id} value={id}>
                {size}
              </option>
            ))}
          </select>
        ) : (
          <input type="hidden" name={`line-${index}`} value={line.id} />
        )}
        <input
          name={`qty-${index}`}
          aria-label={`Quantity of ${name} (0 removes it)`}
          aria-invalid={isInvalidLine(line) || undefined}
          defaultValue={line.text ?? line.qty}
          inputMode="numeric"
          autoComplete="off"
          maxLength={2}
        />
      </div>
    </li>
  )
}
