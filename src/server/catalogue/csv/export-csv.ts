import { type DraftEntry, type DraftProduct, getSizePrices } from '#server/catalogue/draft.ts'
import { CSV_BOM, type CsvCell, formatCsvLine } from '#server/platform/csv.ts'
import { OWN_COLUMNS } from './own.ts'
import { formatDateTime } from './values.ts'

export const CSV_FORMATS = ['own', 'shopify', 'woocommerce'] as const
export type CsvFormat = (typeof CSV_FORMATS)[number]

/** In the Shopify and WooCommerce formats, `origin` makes the photos' URLs absolute. */
export function* generateCsvLines(
  entries: readonly DraftEntry[],
  format: CsvFormat,
  origin: string,
): Generator<string> {
  const { columns, rows } = CSV_FORMAT_DEFINITIONS[format]
  yield CSV_BOM + formatCsvLine(columns)
  for (const entry of entries)
    for (const cells of rows(entry, origin))
      yield formatCsvLine(columns.map((column) => cells[column] ?? null))
}

type Cells = Readonly<Record<string, CsvCell>>
type CsvFormatDefinition = {
  columns: readonly string[]
  rows: (entry: DraftEntry, origin: string) => Cells[]
}

type ExportedItem = { id: number; label: string; price: number | null; salePrice: number | null }

function listExportedItems({ id, price, salePrice, scale, sizes }: DraftProduct): ExportedItem[] {
  if (scale === null) return [{ id, label: '', price, salePrice }]
  return sizes
    .filter(({ isHidden }) => !isHidden)
    .map((size) => ({ id: size.id, label: size.label, ...getSizePrices(size, { price, salePrice }) }))
}

const ownFormat: CsvFormatDefinition = {
  columns: OWN_COLUMNS,
  rows({ product, isHidden }) {
    return listExportedItems(product).map((item, index) => ({
      Product: product.id,
      Item: item.id,
      Size: item.label,
      'Price KSH': item.price,
      'Sale price KSH': item.salePrice,
      ...(index === 0 && {
        Name: product.title,
        Description: product.description,
        Category: product.category,
        Visible: isHidden ? 'no' : 'yes',
        'Size type': product.scale,
        Rating: product.rate,
        'Sale starts': formatDateTime(product.saleStartsAt),
        'Sale ends': formatDateTime(product.saleEndsAt),
        ...Object.fromEntries(
          product.images.flatMap(({ image, alt }, photo) => [
            [`Photo ${photo + 1}`, image],
            [`Photo ${photo + 1} description`, alt],
          ]),
        ),
      }),
    }))
  },
}

const shopifyFormat: CsvFormatDefinition = {
  columns: [
    ...[
      'Handle',
      'Title',
      'Body (HTML)',
      'Type',
      'Published',
      'Option1 Name',
      'Option1 Value',
      'Variant SKU',
    ],
    ...[
      'Variant Price',
      'Variant Compare At Price',
      'Image Src',
      'Image Position',
      'Image Alt Text',
      'Status',
    ],
  ],
  rows({ product, isHidden }, origin) {
    const handle = `${toSlug(product.title)}-${product.id}`
    const variants = listExportedItems(product).map(
      (item, index): Cells => ({
        Handle: handle,
        ...(index === 0 && {
          Title: product.title,
          'Body (HTML)': textToHtml(product.description),
          Type: product.category,
          Published: isHidden ? 'FALSE' : 'TRUE',
          Status: isHidden ? 'draft' : 'active',
          'Option1 Name': item.label ? 'Size' : 'Title',
        }),
        'Option1 Value': item.label || 'Default Title',
        'Variant SKU': item.id,
        'Variant Price': item.salePrice ?? item.price,
        'Variant Compare At Price': item.salePrice === null ? null : item.price,
      }),
    )
    const photos = product.images.map(
      ({ image, alt }, index): Cells => ({
        Handle: handle,
        'Image Src': new URL(image, origin).href,
        'Image Position': index + 1,
        'Image Alt Text': alt,
      }),
    )
    const rows = Math.max(variants.length, photos.length)
    return Array.from({ length: rows }, (_, index) => ({ ...photos[index], ...variants[index] }))
  },
}

const wooCommerceFormat: CsvFormatDefinition = {
  columns: [
    ...['ID', 'Type', 'SKU', 'Name', 'Published', 'Visibility in catalog', 'Description'],
    ...[
      'Date sale price starts',
      'Date sale price ends',
      'Sale price',
      'Regular price',
      'Categories',
      'Images',
    ],
    ...['Parent', 'Attribute 1 name', 'Attribute 1 value(s)', 'Attribute 1 visible', 'Attribute 1 global'],
  ],
  rows({ product, isHidden }, origin) {
    const items = listExportedItems(product)
    const isSized = product.scale !== null
    const dates = {
      'Date sale price starts': formatDateTime(product.saleStartsAt),
      'Date sale price ends': formatDateTime(product.saleEndsAt),
    }
    const toPriceColumns = (item: ExportedItem | undefined) => ({
      'Regular price': item?.price ?? null,
      'Sale price': item?.salePrice ?? null,
      ...(item && item.salePrice !== null && dates),
    })
    const productSku = isSized ? `product-${product.id}` : String(product.id)
    return [
      {
        Type: isSized ? 'variable' : 'simple',
        SKU: productSku,
        Name: product.title,
        Published: isHidden ? 0 : 1,
        'Visibility in catalog': 'visible',
        Categories: product.category,
        Description: product.description,
        Images: product.images.map(({ image }) => new URL(image, origin).href).join(', '),
        ...(isSized
          ? {
              'Attribute 1 name': 'Size',
              'Attribute 1 visible': 1,
              'Attribute 1 global': 0,
              'Attribute 1 value(s)': items.map(({ label }) => label).join(', '),
            }
          : toPriceColumns(items[0])),
      },
      ...(isSized ? items : []).map(
        (item): Cells => ({
          ...{ Type: 'variation', SKU: item.id, Name: `${product.title} - ${item.label}`, Published: 1 },
          'Visibility in catalog': 'visible',
          Parent: productSku,
          ...toPriceColumns(item),
          'Attribute 1 name': 'Size',
          'Attribute 1 value(s)': item.label,
          'Attribute 1 global': 0,
        }),
      ),
    ]
  },
}

const CSV_FORMAT_DEFINITIONS: Record<CsvFormat, CsvFormatDefinition> = {
  own: ownFormat,
  shopify: shopifyFormat,
  woocommerce: wooCommerceFormat,
}

function toSlug(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-|-$/g, '')
}

function textToHtml(text: string): string {
  const escaped = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
  return escaped
    .split('\n')
    .map((line) => `<p>${line}</p>`)
    .join('')
}
