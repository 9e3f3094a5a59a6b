import { formatNumber } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { BULK_EDIT_LABELS, BULK_FORM_ID, type BulkFields } from './bulk-form.ts'

type BulkPanelProps = {
  fields: BulkFields
  matchCount: number
  action: string
  categories: readonly string[]
}

export function BulkPanel({ fields, matchCount, action, categories }: BulkPanelProps) {
  const matchingProducts =
    matchCount === 1 ? 'The product that matches' : `All ${formatNumber(matchCount)} products that match`
  return (
    <form className="panel" id={BULK_FORM_ID} method="post" action={action}>
      <h2>Change several products</h2>
      <input type="hidden" name="matching" value={matchCount} />
      <fieldset className="choices">
        <legend>Products</legend>
        <label className="order__choice">
          <input type="radio" name="scope" value="selected" defaultChecked={!fields.isAll} />
          Selected in the list above
        </label>
        <label className="order__choice">
          <input type="radio" name="scope" value="all" defaultChecked={fields.isAll} />
          {matchingProducts} the filter
        </label>
      </fieldset>
      <div className="filters">
        <div className="field field--wide">
          <label htmlFor="edit">Change</label>
          <select id="edit" name="edit" defaultValue={fields.edit}>
            {Object.entries(BULK_EDIT_LABELS).map(([name, label]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        </div>
        <div className="field">
          <label htmlFor="amount">Percentage or amount in {shop.currency}</label>
          <input
            id="amount"
            name="amount"
            defaultValue={fields.amount}
            autoComplete="off"
            aria-describedby="amount-note"
          />
        </div>
        <div className="field field--wide">
          <label htmlFor="new-category">New category</label>
          <select id="new-category" name="category" defaultValue={fields.category}>
            <option value="">Choose a category</option>
            {categories.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </div>
      </div>
      <p className="note" id="amount-note">
        For example, 5 raises prices and −5 lowers them. Prices changed by a percentage are rounded to whole
        shillings. This also changes sizes’ own prices, but not sale prices.
      </p>
      <button className="button" type="submit">
        Change products
      </button>
    </form>
  )
}
