import { CATALOGUE_PATH, getProductPath, SHARE_PATH } from '#office/platform/sections.ts'
import { SelectField } from '#office/platform/select-field.tsx'
import { PHOTOS_SCRIPT_PATH } from '#office/platform/static-files.ts'
import { UploadStatus } from '#office/platform/upload-status.tsx'
import type { ProductInput } from '#server/catalogue/edit-product.ts'
import { PLACEHOLDER_IMAGE } from '#shared/cart/cart.ts'
import { MAX_RATING, type ProductImage } from '#shared/catalogue/catalogue.ts'
import { MAX_FIELD_CHARACTERS } from '#shared/catalogue/catalogue-issues.ts'
import { getThumbnailUrl } from '#shared/catalogue/pictures.ts'
import {
  CAROUSEL_TITLE_CHARACTERS,
  CART_DESCRIPTION_CHARACTERS,
  SHOP_DESCRIPTION_CHARACTERS,
  SHOP_TITLE_CHARACTERS,
  truncate,
} from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { Field } from './field.tsx'
import {
  formatDateTimeInput,
  PHOTO_ACTIONS,
  type ProductFields,
  type ProductProblem,
} from './product-fields.ts'
import { type FormatNumberInput, SizeFields } from './size-fields.tsx'

/** `search` is the query string of the filtered list that the form returns to. */
export function ProductForm({
  product,
  isHidden,
  revision,
  counts,
  categories,
  redirectTo,
  search,
  typed,
  problem,
}: ProductFields & { search: string }) {
  const formatNumberInput: FormatNumberInput = (name, value) =>
    Number.isNaN(value) ? typed?.(name) : (value ?? '')
  const { id, title, description, price, images, category, rate, sizes } = product
  const path = getProductPath(id ?? 'new')
  return (
    <>
      <h1>{title || 'New product'}</h1>
      <p>
        <a className="page-link" href={CATALOGUE_PATH + search}>
          Back to the catalogue
        </a>
        {id === undefined ? null : (
          <>
            {' · '}
            <a href={`${SHARE_PATH}?qty-${id}=1`}>Share this product</a>
          </>
        )}
      </p>
      <form className="panel product-form" method="post" action={path + search}>
        {/* This button comes first, because Enter submits with a form's first button. */}
        <button type="submit" hidden>
          Save
        </button>
        <input type="hidden" name="seen" value={revision} />
        <Field
          label="Name"
          name="title"
          defaultValue={title}
          required
          maxLength={MAX_FIELD_CHARACTERS.title}
          problem={problem}
        />
        <ExcerptPreviews field="title" text={title} excerpts={TITLE_EXCERPTS} />
        <DescriptionField text={description} hasSizes={sizes.length > 0} />
        <ExcerptPreviews field="description" text={description} excerpts={DESCRIPTION_EXCERPTS} />
        <Field
          label={`Price in ${shop.currency}`}
          name="price"
          defaultValue={formatNumberInput('price', price)}
          inputMode="decimal"
          problem={problem}
        />
        <SaleFields product={product} formatNumberInput={formatNumberInput} problem={problem} />
        <SelectField
          label="Category"
          name="category"
          value={category}
          options={categories.map((name) => [name, name])}
          empty="Choose a category"
        />
        <PictureFields images={images} path={path + search} />
        <Field
          label={`Rating from 0 to ${MAX_RATING} (optional)`}
          name="rate"
          defaultValue={formatNumberInput('rate', rate)}
          inputMode="decimal"
          problem={problem}
        />
        <div className="field">
          <label htmlFor="state">Visibility</label>
          <select id="state" name="state" defaultValue={isHidden ? 'hidden' : 'active'}>
            <option value="active">Visible</option>
            <option value="hidden">Hidden</option>
          </select>
        </div>
        <Field
          label="While it’s hidden, redirect customers to this product number (optional)"
          name="redirectTo"
          defaultValue={redirectTo}
          inputMode="numeric"
        />
        <SizeFields
          product={product}
          counts={counts}
          typed={typed}
          formatNumberInput={formatNumberInput}
          problem={problem}
        />
        <button className="button" type="submit">
          Save draft
        </button>
      </form>
      {id === undefined ? null : (
        <form method="post" action={`${path}/delete${search}`}>
          <button className="button button--quiet" type="submit">
            Delete product
          </button>
        </form>
      )}
    </>
  )
}

function DescriptionField({ text, hasSizes }: { text: string; hasSizes: boolean }) {
  return (
    <div className="field">
      <label htmlFor="description">Description</label>
      <textarea
        id="description"
        name="description"
        rows={6}
        defaultValue={text}
        maxLength={MAX_FIELD_CHARACTERS.description}
        aria-describedby={hasSizes ? undefined : 'description-ages'}
      />
      {hasSizes ? null : (
        <p id="description-ages" className="note">
          So that customers find it by age, write “From 2 to 7 years” or “From 6 months”.
        </p>
      )}
    </div>
  )
}

type SaleFieldsProps = {
  product: ProductInput
  formatNumberInput: FormatNumberInput
  problem: ProductProblem | undefined
}

function SaleFields({ product, formatNumberInput, problem }: SaleFieldsProps) {
  const { salePrice, saleStartsAt, saleEndsAt } = product
  return (
    <fieldset className="size-row sale">
      <legend>Sale (optional)</legend>
      <Field
        label={`Sale price in ${shop.currency}`}
        name="salePrice"
        defaultValue={formatNumberInput('salePrice', salePrice)}
        inputMode="decimal"
        aria-describedby="sale-note"
        problem={problem}
      />
      <Field
        label="Starts"
        name="saleStartsAt"
        type="datetime-local"
        defaultValue={formatDateTimeInput(saleStartsAt)}
        aria-describedby="sale-note"
        problem={problem}
      />
      <Field
        label="Ends"
        name="saleEndsAt"
        type="datetime-local"
        defaultValue={formatDateTimeInput(saleEndsAt)}
        aria-describedby="sale-note"
        problem={problem}
      />
      <p className="note" id="sale-note">
        During the sale, the shop strikes through the regular price. Without dates, the sale runs until you
        remove the sale price. All times are {shop.city} time.
      </p>
    </fieldset>
  )
}

type PictureFieldsProps = { images: readonly ProductImage[]; path: string }

/** photos.script.js uploads photos, and moves rows without a request. */
function PictureFields({ images, path }: PictureFieldsProps) {
  return (
    <section className="pictures" id="pictures" aria-labelledby="pictures-heading" data-pictures>
      <h2 id="pictures-heading">Photos</h2>
      <p className="note">The first photo is the main photo. The product page shows them all.</p>
      <div className="field">
        <label htmlFor="photo">Add photos</label>
        <input id="photo" type="file" accept="image/*" multiple />
      </div>
      {images.map((image, index) => (
        <PictureRow
          key={image.image}
          suffix={String(index)}
          image={image}
          path={path}
          isRequired={images.length > 1}
        />
      ))}
      <details className="more">
        <summary>Add a photo from a link</summary>
        <PictureRow suffix="other" path={path} />
      </details>
      <template>
        <PictureRow suffix="NEW" path={path} isUpload />
      </template>
      <script src={PHOTOS_SCRIPT_PATH} defer />
    </section>
  )
}

type PictureRowProps = {
  suffix: string
  image?: ProductImage
  path: string
  isUpload?: boolean
  /** A single photo needs no description, because the product's name describes it. */
  isRequired?: boolean
}

function PictureRow({ suffix, image, path, isUpload, isRequired }: PictureRowProps) {
  const isEmpty = !image && !isUpload
  return (
    <fieldset className="picture-row" data-picture={isEmpty ? undefined : ''}>
      <legend>{isEmpty ? 'Photo from a link' : 'Photo'}</legend>
      {isEmpty ? null : (
        <img
          className="thumb"
          src={getThumbnailUrl(image?.image ?? '') ?? PLACEHOLDER_IMAGE}
          alt=""
          width="96"
          height="120"
          loading="lazy"
        />
      )}
      <div className="picture-row__fields">
        {isUpload ? <UploadStatus /> : null}
        <Field
          label={
            isEmpty
              ? 'Photo description'
              : `Photo description (${isRequired || isUpload ? 'required, ' : ''}read aloud by screen readers)`
          }
          name={`alt-${suffix}`}
          defaultValue={image?.alt}
          maxLength={MAX_FIELD_CHARACTERS.alt}
          required={isRequired}
        />
        <details open={isEmpty}>
          <summary>Photo link</summary>
          <Field
            label="Path in this shop or https:// link"
            name={`image-${suffix}`}
            defaultValue={image?.image}
          />
        </details>
      </div>
      {isEmpty ? null : (
        <div className="actions actions--small">
          {PHOTO_ACTIONS.map(([to, text]) => (
            <button
              key={to}
              className="button button--quiet"
              type="submit"
              name="arrange"
              value={`${to}-${suffix}`}
              formAction={`${path}#pictures`}
              formNoValidate
            >
              {text}
            </button>
          ))}
        </div>
      )}
    </fieldset>
  )
}

const TITLE_EXCERPTS = [
  [SHOP_TITLE_CHARACTERS, 'In the shop'],
  [CAROUSEL_TITLE_CHARACTERS, 'In “You may also like”'],
] as const
const DESCRIPTION_EXCERPTS = [
  [SHOP_DESCRIPTION_CHARACTERS, 'In the shop'],
  [CART_DESCRIPTION_CHARACTERS, 'In the cart'],
] as const

/** office.script.js updates these previews while the owner types. */
function ExcerptPreviews({
  field,
  text,
  excerpts,
}: {
  field: string
  text: string
  excerpts: readonly (readonly [number, string])[]
}) {
  return (
    <dl className="facts excerpts">
      {excerpts.map(([length, where]) => (
        <div key={where}>
          <dt>
            {where} ({length} characters)
          </dt>
          <dd>
            <output htmlFor={field} data-cut={length}>
              {truncate(text, length)}
            </output>
          </dd>
        </div>
      ))}
    </dl>
  )
}
