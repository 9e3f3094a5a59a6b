import { Fragment, type ReactNode } from 'react'
import { SelectField } from '#office/platform/select-field.tsx'
import type { ProductInput } from '#server/catalogue/edit-product.ts'
import type { FormFields } from '#server/platform/http/body.ts'
import { SIZE_SCALES, type SizeScale } from '#shared/catalogue/catalogue.ts'
import { MAX_FIELD_CHARACTERS } from '#shared/catalogue/catalogue-issues.ts'
import { shop } from '#shared/shop.ts'
import { Field } from './field.tsx'
import {
  listFilledInRowSuffixes,
  NEW_ROW_SUFFIXES,
  type ProductProblem,
  type StockCountFields,
} from './product-fields.ts'

/** Formats the number in the field called `name`. If it's invalid (NaN), returns it as typed. */
export type FormatNumberInput = (
  name: string,
  value: number | null | undefined,
) => string | number | undefined

const SCALE_LABELS: Record<SizeScale, string> = {
  age: 'Age',
  'child-shoe': 'Children’s shoes',
  shoe: 'Women’s shoes',
  clothing: 'Clothing',
  head: 'Hats',
  'mother-and-child': 'Mother and child',
}

type SizeFieldsProps = {
  product: ProductInput
  counts: StockCountFields
  typed: FormFields | undefined
  formatNumberInput: FormatNumberInput
  problem: ProductProblem | undefined
}

export function SizeFields({ product, counts, typed, formatNumberInput, problem }: SizeFieldsProps) {
  const { scale, sizes } = product
  return (
    <>
      <h2>Sizes</h2>
      <SelectField
        label="Size type"
        name="scale"
        value={scale ?? ''}
        options={SIZE_SCALES.map((name) => [name, SCALE_LABELS[name]])}
        empty="No sizes"
        problem={problem?.field === 'scale' ? problem.message : undefined}
      />
      {sizes.length > 0 ? (
        <p className="note">Leave a size’s stock empty if it’s made to order.</p>
      ) : (
        <ProductStockField count={counts.get('own')} problem={problem} />
      )}
      {sizes.map((size, index) => {
        if (size.id === undefined) return null
        const suffix = String(size.id)
        return (
          <SizeRow
            key={suffix}
            suffix={suffix}
            size={size}
            isFirst={index === 0}
            count={counts.get(suffix)}
            postedSuffix={suffix}
            formatNumberInput={formatNumberInput}
            problem={problem}
          />
        )
      })}
      <NewSizeRows
        sizes={sizes.filter(({ id }) => id === undefined)}
        counts={counts}
        typed={typed}
        formatNumberInput={formatNumberInput}
        problem={problem}
      />
    </>
  )
}

type StockCountField = ReturnType<StockCountFields['get']>

type ProductStockFieldProps = { count: StockCountField; problem: ProductProblem | undefined }

function ProductStockField({ count, problem }: ProductStockFieldProps) {
  return (
    <>
      <Field
        label="Stock (leave empty if made to order)"
        name="units-own"
        defaultValue={count?.entered}
        inputMode="numeric"
        problem={problem}
      />
      <input type="hidden" name="seen-units-own" value={count?.expected ?? ''} />
    </>
  )
}

type NewSizeRowsProps = Omit<SizeFieldsProps, 'product'> & { sizes: ProductInput['sizes'] }

/** Each row after the first is in the disclosure of the row before it. */
function NewSizeRows({ sizes, counts, typed, formatNumberInput, problem }: NewSizeRowsProps) {
  return NEW_ROW_SUFFIXES.reduceRight<ReactNode>((following, suffix, index) => {
    const row = (
      <SizeRow
        key="row"
        suffix={suffix}
        size={sizes[index]}
        isFirst
        count={counts.get(suffix)}
        postedSuffix={(typed && listFilledInRowSuffixes(typed)[index]) ?? suffix}
        formatNumberInput={formatNumberInput}
        problem={problem}
      />
    )
    return index === 0 ? (
      <Fragment key={suffix}>
        {row}
        {following}
      </Fragment>
    ) : (
      <details key={suffix} className="more" open={sizes[index] !== undefined}>
        <summary>Add another size</summary>
        {row}
        {following}
      </details>
    )
  }, null)
}

type SizeRowProps = {
  suffix: string
  size: ProductInput['sizes'][number] | undefined
  isFirst: boolean
  count: StockCountField
  /** The suffix of the row's posted fields. */
  postedSuffix: string
  formatNumberInput: FormatNumberInput
  problem: ProductProblem | undefined
}

function SizeRow({ suffix, size, isFirst, count, postedSuffix, formatNumberInput, problem }: SizeRowProps) {
  return (
    <fieldset className="size-row">
      <legend>{size?.id === undefined ? 'New size' : size.label}</legend>
      <Field
        label="Size name"
        name={`label-${suffix}`}
        defaultValue={size?.label ?? ''}
        maxLength={MAX_FIELD_CHARACTERS.label}
        problem={problem}
      />
      <Field
        label={`Price in ${shop.currency} (if different)`}
        name={`price-${suffix}`}
        defaultValue={formatNumberInput(`price-${postedSuffix}`, size?.price)}
        inputMode="decimal"
        problem={problem}
      />
      <Field
        label={`Sale price in ${shop.currency} (if different)`}
        name={`sale-${suffix}`}
        defaultValue={formatNumberInput(`sale-${postedSuffix}`, size?.salePrice)}
        inputMode="decimal"
        problem={problem}
      />
      <Field
        label="Stock"
        name={`units-${suffix}`}
        defaultValue={count?.entered}
        inputMode="numeric"
        problem={problem}
      />
      <input type="hidden" name={`seen-units-${suffix}`} value={count?.expected ?? ''} />
      {size && !isFirst ? (
        <label className="order__choice">
          <input type="checkbox" name={`shown-${suffix}`} value="yes" defaultChecked={!size.isHidden} />
          Visible
        </label>
      ) : null}
    </fieldset>
  )
}
