import { CONTENT_PATH, getContentPath, PREVIEW_PATH } from '#office/platform/sections.ts'
import { CONTENT_LABELS, FIELD_LABELS } from '#server/content/content-labels.ts'
import type { ContentName } from '#server/content/content-schema.ts'
import { parseMarkdown, parseMarkdownLine } from '#server/content/markdown.ts'
import { renderRichText } from '#server/content/rich-html.ts'
import { isTextName, type RichText } from '#shared/content/content.ts'
import { CONTENT_PLACES } from './content-places.ts'
import { formatBannerDays } from './describe-content.ts'
import { CONTACT_FIELDS, FEATURED_FIELDS } from './entered-content.ts'
import { HeroFields } from './hero-fields.tsx'
import { PaymentFields } from './payment-fields.tsx'

type Product = { id: number; title: string }

type ContentFormProps = {
  name: ContentName
  fields: Readonly<Record<string, string>>
  /** The draft revision in which the value last changed, or 0 for the default. */
  revision: number
  isChanged: boolean
  products: readonly Product[]
  shopOrigin: string
}

export function ContentForm({ name, fields, revision, isChanged, products, shopOrigin }: ContentFormProps) {
  const { where, path, hint } = CONTENT_PLACES[name]
  const hasText = isTextName(name) || name === 'banner'
  return (
    <>
      <h1>{CONTENT_LABELS[name]}</h1>
      <p>
        <a className="page-link" href={CONTENT_PATH}>
          Back to content
        </a>
      </p>
      <form className="panel content-form" method="post" action={getContentPath(name)}>
        <input type="hidden" name="seen" value={revision} />
        <p>
          {where} {isChanged ? <span className="mark mark--status">In draft</span> : null}
        </p>
        {hint ? (
          <p className="note" id="hint">
            {hint}
          </p>
        ) : null}
        <ContentFields name={name} fields={fields} products={products} />
        <div className="actions">
          <button className="button" type="submit">
            Save draft
          </button>
          {hasText ? (
            <button className="button button--quiet" type="submit" name="do" value="preview">
              Preview text
            </button>
          ) : null}
        </div>
      </form>
      {hasText ? <ContentPreview name={name} fields={fields} shopOrigin={shopOrigin} /> : null}
      {name === 'searchWords' ? <TrySearch /> : null}
      <div className="actions">
        {path ? (
          <a className="button button--quiet" href={PREVIEW_PATH + path}>
            Preview shop
          </a>
        ) : null}
        {revision > 0 ? (
          <form method="post" action={`${getContentPath(name)}/restore`}>
            <button className="button button--quiet" type="submit">
              {name === 'banner' ? 'Remove banner' : 'Restore default'}
            </button>
          </form>
        ) : null}
      </div>
    </>
  )
}

type ContentFieldsProps = Pick<ContentFormProps, 'name' | 'fields' | 'products'>

function ContentFields({ name, fields, products }: ContentFieldsProps) {
  switch (name) {
    case 'banner':
      return (
        <>
          <Field
            label={FIELD_LABELS['banner.markdown']}
            name="text"
            defaultValue={fields.text}
            aria-describedby="hint"
          />
          <div className="field-pair">
            <Field
              label={FIELD_LABELS['banner.fromDay']}
              name="fromDay"
              type="date"
              defaultValue={fields.fromDay}
            />
            <Field
              label={FIELD_LABELS['banner.untilDay']}
              name="untilDay"
              type="date"
              defaultValue={fields.untilDay}
            />
          </div>
        </>
      )
    case 'hero':
      return <HeroFields image={fields.image ?? ''} alt={fields.alt ?? ''} />
    case 'deliveryTime':
      return (
        <Field
          label={CONTENT_LABELS.deliveryTime}
          name="text"
          defaultValue={fields.text}
          aria-describedby="hint"
        />
      )
    case 'featured':
      return (
        <>
          {FEATURED_FIELDS.map((field, index) => (
            <Field
              key={field}
              label={`Product ${index + 1}`}
              name={field}
              defaultValue={fields[field]}
              list="products"
              placeholder="Enter a name or number"
            />
          ))}
          <datalist id="products">
            {products.map(({ id, title }) => (
              <option key={id} value={`${id} ${title}`} />
            ))}
          </datalist>
        </>
      )
    case 'contact':
      return CONTACT_FIELDS.map((field) => (
        <Field
          key={field}
          label={`${FIELD_LABELS[`contact.${field}`]}${OPTIONAL_FIELDS.includes(field) ? ' (optional)' : ''}`}
          name={field}
          defaultValue={fields[field]}
          inputMode={INPUT_MODES[field]}
        />
      ))
    case 'payments':
      return <PaymentFields fields={fields} />
    default:
      return (
        <div className="field">
          <label htmlFor="text">{name === 'searchWords' ? 'Search words' : 'Text'}</label>
          <textarea
            id="text"
            name="text"
            rows={name === 'searchWords' ? 24 : 12}
            defaultValue={fields.text}
            spellCheck={name !== 'searchWords'}
            aria-describedby={name === 'searchWords' ? 'hint' : 'markdown-help'}
          />
          {name === 'searchWords' ? null : <MarkdownHelp />}
        </div>
      )
  }
}

const OPTIONAL_FIELDS: readonly string[] = ['phone', 'whatsapp']
const INPUT_MODES = {
  email: 'email',
  phone: 'tel',
  whatsapp: 'numeric',
  social: 'url',
  code: 'url',
  calendar: 'url',
} as const

function MarkdownHelp() {
  return (
    <p className="note" id="markdown-help">
      Leave an empty line between paragraphs. Start lines with “- ” for a list. Write **bold**, *italic* and
      [words](https://example.com) for a link.
    </p>
  )
}

type ContentPreviewProps = Pick<ContentFormProps, 'name' | 'fields' | 'shopOrigin'>

function ContentPreview({ name, fields, shopOrigin }: ContentPreviewProps) {
  const text = fields.text ?? ''
  const { fromDay = '', untilDay = '' } = fields
  return (
    <section className="panel" aria-labelledby="preview">
      <h2 id="preview">Preview</h2>
      {text.trim() ? (
        <RenderedText
          text={name === 'banner' ? parseMarkdownLine(text) : parseMarkdown(text)}
          shopOrigin={shopOrigin}
        />
      ) : (
        <p className="empty">This text is empty, so customers don’t see it.</p>
      )}
      {name === 'banner' && text.trim() ? (
        <p className="note">{formatBannerDays({ fromDay, untilDay })}</p>
      ) : null}
    </section>
  )
}

function RenderedText({ text, shopOrigin }: { text: RichText; shopOrigin: string }) {
  // Texts can contain links to paths that only the shop serves.
  const html = renderRichText(text).replaceAll('href="/', `href="${shopOrigin}/`)
  return (
    <div
      className="stack"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: renderRichText escapes texts and creates known elements only
      dangerouslySetInnerHTML={{ __html: html }}
    />
  )
}

function TrySearch() {
  return (
    <search className="panel">
      <h2>Try a search</h2>
      <form className="search" action={`${PREVIEW_PATH}/products`}>
        <label className="visually-hidden" htmlFor="q">
          Customer’s search
        </label>
        <input id="q" name="q" type="search" autoComplete="off" placeholder="For example, gauni" />
        <button className="button button--quiet" type="submit">
          Search draft
        </button>
      </form>
      <p className="note">Save the draft first. The search uses the saved search words.</p>
    </search>
  )
}

type FieldProps = { label: string | undefined; name: string } & React.ComponentProps<'input'>

function Field({ label, name, ...input }: FieldProps) {
  return (
    <div className="field">
      <label htmlFor={name}>{label}</label>
      <input id={name} name={name} autoComplete="off" {...input} />
    </div>
  )
}
