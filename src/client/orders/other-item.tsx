import { useEffect, useState } from 'react'
import { loadCatalogue } from '#client/app/fetch-catalogue.ts'
import type { Catalogue } from '#shared/catalogue/catalogue.ts'
import { findItemByName, getItemName, listItemsByWords } from '#shared/catalogue/item-names.ts'
import type { Item } from '#shared/catalogue/items.ts'
import { calculatePriceWithVatKsh, formatPriceWithVat } from '#shared/checkout/fees.ts'
import { formatMoney, kshToCents } from '#shared/format.ts'
import { type EnteredReturn, FieldError, getErrorProps, getFieldId } from './return-field.tsx'

const MAX_OPTIONS = 30

type OtherItemProps = { name: string; priceKsh: number | undefined; field: string; entered: EnteredReturn }

export function OtherItem({ name, priceKsh, field, entered }: OtherItemProps) {
  const [catalogue, setCatalogue] = useState<Catalogue>([])
  const [text, setText] = useState(entered.values[field] ?? '')
  useEffect(() => {
    Promise.resolve(loadCatalogue())
      .then(({ catalogue }) => setCatalogue(catalogue))
      .catch(() => {})
  }, [])
  const id = getFieldId(field, entered)
  const listId = `${field}-items`
  const typed = text.trim()
  const chosen = typed ? findItemByName(catalogue, typed) : undefined
  const isExact = chosen && getItemName(chosen).toLowerCase() === typed.toLowerCase()
  const matches = isExact ? [] : listMatches(catalogue, text)
  const hasNoMatch = catalogue.length > 0 && !chosen && matches.length === 0
  return (
    <div className="field field--wide order__exchange">
      <label htmlFor={id}>
        Which item would you like<span className="visually-hidden"> instead of {name}</span>?
      </label>
      <input
        id={id}
        name={field}
        list={listId}
        autoComplete="off"
        placeholder="Type a name"
        value={text}
        onChange={({ target }) => setText(target.value)}
        {...getErrorProps(field, entered)}
      />
      <datalist id={listId}>
        {matches.map((item) => (
          <option key={item.id} value={getItemName(item)}>
            {formatPriceWithVat(item.price)}
          </option>
        ))}
      </datalist>
      <FieldError field={field} entered={entered} />
      <p className="field__note" role="status">
        {chosen && !isExact && `${getItemName(chosen)}: `}
        {chosen && `${formatPriceWithVat(chosen.price)}${formatDifference(chosen.price, priceKsh)}`}
        {hasNoMatch &&
          !entered.errors[field] &&
          'No items found. To describe an item, leave this empty and use the message below.'}
      </p>
    </div>
  )
}

function formatDifference(priceKsh: number, returnedPriceKsh: number | undefined): string {
  if (returnedPriceKsh === undefined) return ''
  const differenceKsh = calculatePriceWithVatKsh(priceKsh) - calculatePriceWithVatKsh(returnedPriceKsh)
  if (differenceKsh === 0) return ', the same price'
  return `, ${formatMoney(kshToCents(Math.abs(differenceKsh)))} ${differenceKsh > 0 ? 'more' : 'less'}`
}

function listMatches(catalogue: Catalogue, text: string): Item[] {
  return listItemsByWords(catalogue, text)
    .filter(({ id, product }) => product.left?.[id] !== 0)
    .slice(0, MAX_OPTIONS)
}
