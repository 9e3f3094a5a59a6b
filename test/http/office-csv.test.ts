import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readDraft } from '#server/catalogue/draft.ts'
import { CATALOGUE_ITEMS, openCatalogueOffice, product } from '#test/support/catalogue-office.ts'
import { createOfficeClient } from '#test/support/office.ts'

const SALE = {
  compareAtPrice: 900,
  saleStartsAt: '2026-12-23T21:00:00.000Z',
  saleEndsAt: '2026-12-26T21:00:00.000Z',
}

async function openCsvOffice(items: object[] = CATALOGUE_ITEMS) {
  const office = await openCatalogueOffice(items)
  const sendBytes = async (bytes: Uint8Array<ArrayBuffer>) => {
    const body = new FormData()
    body.set('file', new File([bytes], 'products.csv', { type: 'text/csv' }))
    return (await createOfficeClient(office.ctx, 'achieng@pamba.test', body)).post('/catalogue/import', {})
  }
  return {
    ...office,
    sendBytes,
    importCsv: (text: string) => sendBytes(new TextEncoder().encode(text)),
    download: async (format: string) => (await office.get(`/catalogue/csv?format=${format}`)).text,
    readTitles: async () => (await readDraft(office.ctx)).entries.map(({ product: { title } }) => title),
    findDraft: async (title: string) =>
      (await readDraft(office.ctx)).entries.find((entry) => entry.product.title === title),
  }
}

function parseReport(text: string) {
  const figure = (label: string) =>
    Number(new RegExp(`${label}</dt><dd>([\\d,]+)`).exec(text)?.[1]?.replace(',', ''))
  return ['New products', 'Updated products', 'Unchanged products', 'Problems'].map(figure)
}

const joinLines = (...rows: string[]) => rows.join('\r\n')

describe('the products as CSV', () => {
  const items = [
    product(1, '=HYPERLINK("x")', 750, { ...SALE, description: 'Soft, "very" soft.\nWarm.' }),
    ...CATALOGUE_ITEMS.slice(1, 2),
    product(3, 'Rattle', 99.5, {
      images: [
        { image: '/images/products/3.svg', alt: 'Front' },
        { image: '/back.jpg', alt: '+ Back' },
      ],
    }),
  ]

  it('come back unchanged in the shop’s own columns, with formulas neutralised', async () => {
    const { download, importCsv, get, uploadFile } = await openCsvOffice(items)
    const csv = await download('own')
    expect(csv.startsWith('Product,Item,Name,Description,')).toBe(true)
    expect(csv).toContain('"\'=HYPERLINK(""x"")"')
    expect(csv).toContain("'+ Back")
    expect(parseReport((await importCsv(csv)).text)).toEqual([0, 0, 3, 0])
    expect((await get('/catalogue/publish')).text).toContain('No changes to publish.')
    const semicolons = csv.replaceAll(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/g, ';')
    expect(parseReport((await importCsv(semicolons)).text)).toEqual([0, 0, 3, 0])
    expect((await uploadFile('/catalogue/import', 'none.csv', '')).text).toContain('Please choose a CSV')
  })

  it.each(['shopify', 'woocommerce'])(
    'keep prices, sales, sizes and photos in the columns of %s',
    async (format) => {
      const { download, importCsv, ctx } = await openCsvOffice(items)
      const before = (await readDraft(ctx)).entries.map(({ product }) => product)
      const csv = await download(format)
      await importCsv(csv)
      const after = (await readDraft(ctx)).entries.map(({ product }) => product)
      // Shopify's columns have no sale dates, and WooCommerce's have no photo descriptions.
      const comparable = (products: typeof before) =>
        products.map(({ saleStartsAt, saleEndsAt, images, ...rest }) =>
          format === 'shopify'
            ? { ...rest, images }
            : { ...rest, saleStartsAt, saleEndsAt, images: images.map(({ image }) => image) },
        )
      expect(comparable(after)).toEqual(comparable(before))
    },
  )

  it('change only in the columns that an imported file has', async () => {
    const { importCsv, ctx, publish, readPublished } = await openCsvOffice()
    const { text } = await importCsv(
      joinLines('Product,Item,Price KSH', '1,1,"1,250.50"', '2,2,2000', '2,7,2250'),
    )
    expect(parseReport(text)).toEqual([0, 2, 0, 0])
    await publish()
    const [cow, dress] = await readPublished()
    expect(cow).toEqual(product(1, 'Wooden cow', 1250.5))
    expect(dress?.sizes).toEqual([
      { id: 2, label: 'S' },
      { id: 7, label: 'M', price: 2250 },
    ])
    expect((await readDraft(ctx)).entries).toHaveLength(3)
  })

  it('keep their sales and the prices of their sizes if an imported file lacks those columns', async () => {
    const dress = product(2, 'Kikoi dress', 1500, {
      ...SALE,
      compareAtPrice: 2000,
      scale: 'clothing',
      sizes: [
        { id: 2, label: 'S' },
        { id: 7, label: 'M', price: 1800, compareAtPrice: 2400 },
      ],
    })
    const { importCsv, findDraft } = await openCsvOffice([dress])
    const before = await findDraft('Kikoi dress')
    expect(before?.product).toMatchObject({ price: 2000, salePrice: 1500 })
    expect(before?.product.sizes).toMatchObject([{ price: null }, { price: 2400, salePrice: 1800 }])
    for (const text of [
      joinLines('Product,Item,Size', '2,2,S', '2,7,M'),
      joinLines('Product,Item,Price KSH', '2,2,2000', '2,7,2400'),
      joinLines('Product,Item,Sale price KSH', '2,2,1500', '2,7,1800'),
    ])
      expect(parseReport((await importCsv(text)).text), text).toEqual([0, 0, 1, 0])
    await importCsv(joinLines('Product,Item,Size,Sale price KSH', '2,2,S,1400', '2,7,M,', '2,,L,1300'))
    const after = (await findDraft('Kikoi dress'))?.product
    expect(after).toMatchObject({ price: 2000, salePrice: 1400 })
    expect(after?.sizes).toMatchObject([
      { label: 'S', price: null, salePrice: null },
      { label: 'M', price: 2400, salePrice: null },
      { label: 'L', price: 2000, salePrice: 1300 },
    ])
  })
})

const SHOPIFY = joinLines(
  '\uFEFFHandle,Title,Body (HTML),Vendor,Type,Published,Option1 Name,Option1 Value,Variant Price,Variant Compare At Price,Image Src,Image Position,Image Alt Text,Status',
  'dress,Linen dress,"<p>Cool, ""airy"".</p>",Pamba,Women\'s Clothing,TRUE,Size,S,1500,2000,https://cdn.shopify.com/1.jpg,1,Front,active',
  'dress,,,,,,,M,1600,2000,https://cdn.shopify.com/2.jpg,2,,',
  'dress,,,,,,,,,,https://cdn.shopify.com/3.jpg,3,Side,',
  'cup,Enamel cup,Blue.,Pamba,Feeding,TRUE,Title,Default Title,450,,https://cdn.shopify.com/4.jpg,1,,draft',
  'toy,Wooden cow,New paint.,Pamba,Toys,TRUE,Title,Default Title,120,0,https://cdn.shopify.com/5.jpg,1,,active',
  'bag,Tote bag,Strong.,Pamba,Accessories,TRUE,Colour,Red,900,,https://cdn.shopify.com/6.jpg,1,,active',
  'bag,,,,,,,Blue,900,,,,,',
  'sock,Socks,Warm.,Pamba,Clothing,TRUE,Title,Default Title,cheap,,https://cdn.shopify.com/7.jpg,1,,active',
)

describe('a Shopify export', () => {
  it('adds new products, updates those with the same name, and reports the rest by line', async () => {
    const { importCsv, findDraft, readTitles, readPublished, readAudit } = await openCsvOffice()
    const { status, text } = await importCsv(SHOPIFY)
    expect(status).toBe(200)
    expect(parseReport(text)).toEqual([2, 1, 0, 2])
    expect(text).toContain(
      '<strong>Line 7:</strong> The sizes “Red”, “Blue” have no size type. Add the product in the office',
    )
    expect(text).toContain(
      '<strong>Line 9:</strong> Price “cheap” isn’t an amount. Enter it in KSH, for example 1250 or 99.50.',
    )
    expect(text).toContain('The shop can’t show photos from https://cdn.shopify.com.')
    expect(await readTitles()).toEqual(['Wooden cow', 'Kikoi dress', 'Rattle', 'Linen dress', 'Enamel cup'])
    const dress = await findDraft('Linen dress')
    expect(dress?.product).toMatchObject({
      description: 'Cool, "airy".',
      category: "Women's Clothing",
      price: 2000,
      salePrice: 1500,
      scale: 'clothing',
      images: [
        { image: 'https://cdn.shopify.com/1.jpg', alt: 'Front' },
        { image: 'https://cdn.shopify.com/2.jpg', alt: 'Linen dress, photo 2' },
        { image: 'https://cdn.shopify.com/3.jpg', alt: 'Side' },
      ],
      sizes: [
        { id: 8, label: 'S', price: null, salePrice: null },
        { id: 9, label: 'M', price: 2000, salePrice: 1600 },
      ],
    })
    expect(await findDraft('Enamel cup')).toMatchObject({ isHidden: true, product: { id: 10, price: 450 } })
    expect(await findDraft('Wooden cow')).toMatchObject({ product: { id: 1, price: 120, rate: 4 } })
    expect(await readPublished()).toEqual(CATALOGUE_ITEMS)
    expect(await readAudit()).toContainEqual(['catalogue.bulk', null, '2 new, 1 updated, from a CSV file'])
    expect(parseReport((await importCsv(SHOPIFY)).text)).toEqual([0, 0, 3, 2])
  })

  it('is read the same with the column names of 2025', async () => {
    const { importCsv } = await openCsvOffice()
    const renamed = SHOPIFY.replace('Handle,', 'URL handle,')
      .replace('Body (HTML)', 'Description')
      .replace('Published', 'Published on online store')
      .replace(
        'Variant Price,Variant Compare At Price,Image Src,Image Position,Image Alt Text',
        'Price,Compare-at price,Product image URL,Image position,Image alt text',
      )
    expect(parseReport((await importCsv(renamed)).text)).toEqual([2, 1, 0, 2])
  })
})

it('a WooCommerce export is imported with variations and dated sales; other rows are reported', async () => {
  const { importCsv, findDraft } = await openCsvOffice()
  const { text } = await importCsv(
    joinLines(
      'ID,Type,SKU,Name,Published,Visibility in catalog,Short description,Description,Date sale price starts,Date sale price ends,Sale price,Regular price,Categories,Images,Parent,Attribute 1 name,Attribute 1 value(s)',
      '12,variable,D,Linen dress,1,visible,Short.,<p>Cool.</p>,,,,,"Clothing > Dresses, New",https://a.example/1.jpg,,Size,"S, M"',
      '13,variation,,Linen dress - S,1,visible,,,2026-12-24,2026-12-26,1500,2000,,,id:12,Size,S',
      '14,variation,,Linen dress - M,1,visible,,,2026-12-24,2026-12-26,,2000,,,D,Size,M',
      '15,grouped,,A set,1,visible,,,,,,,Clothing,,,,',
      '16,variation,,Lost - S,1,visible,,,,,,5,,,id:99,Size,S',
    ),
  )
  expect(parseReport(text)).toEqual([1, 0, 0, 2])
  expect(text).toContain('<strong>Line 5:</strong> Products of type “grouped” can’t be imported.')
  expect(text).toContain('<strong>Line 6:</strong> The variation’s product isn’t in the file.')
  expect((await findDraft('Linen dress'))?.product).toMatchObject({
    category: 'Clothing',
    price: 2000,
    salePrice: 1500,
    saleStartsAt: '2026-12-23T21:00:00.000Z',
    saleEndsAt: '2026-12-26T21:00:00.000Z',
    sizes: [
      { label: 'S', price: null },
      { label: 'M', price: 2000, salePrice: null },
    ],
  })
})

describe('a CSV file', () => {
  const encode = (text: string) => new TextEncoder().encode(text)
  const header = 'Product,Item,Name,Description,Category,Visible,Price KSH,Photo 1'
  const row = ',,Kite,Red.,Toys,yes,500,/kite.svg'

  it.each<[string, Uint8Array<ArrayBuffer>, string]>([
    ['the bytes of an Excel workbook', encode('PK\u0003\u0004…'), 'Line 1: The file isn’t a CSV file.'],
    [
      'bytes that aren’t text',
      new Uint8Array([0x41, 0xe9, 0x2c, 0x42]),
      'Line 1: The file isn’t a CSV file.',
    ],
    ['zero bytes', encode('Product,Item\n1\0,1'), 'Line 1: The file isn’t a CSV file.'],
    [
      'a quotation mark left open',
      encode(`${header}\n,,"Kite`),
      'A quotation mark is in the wrong place or missing',
    ],
    [
      'a quotation mark in a cell',
      encode(`${header}\n,,Ki"te,x`),
      'A quotation mark is in the wrong place or missing',
    ],
    [
      'unknown columns',
      encode('Name,Cost\nKite,5'),
      'The columns “name”, “cost” don’t match our format, Shopify’s or WooCommerce’s',
    ],
    ['no rows', encode(header), 'The file has no products'],
    ['an endless cell', encode(`${header}\n,,${'x'.repeat(120_000)}`), 'A row is too long'],
    ['too many rows', encode(`${header}\n${`${row}\n`.repeat(20_001)}`), 'more than 20,000 rows'],
  ])('with %s is refused with a reason', async (_, bytes, problem) => {
    const { sendBytes, ctx } = await openCsvOffice()
    const { status, text } = await sendBytes(bytes)
    expect([status, text.includes(problem)]).toEqual([409, true])
    expect((await readDraft(ctx)).revision).toBe(1)
  })

  it.each<[string, string, string]>([
    ['an amount in words', row.replace('500', 'much'), 'Price “much” isn’t an amount'],
    ['no price', row.replace('500', ''), 'Price is missing'],
    ['an unsafe photo', row.replace('/kite.svg', 'javascript:alert(1)'), 'Main photo must be a path'],
    ['a long name', row.replace('Kite', 'x'.repeat(201)), 'Name must be at most 200 characters'],
    ['more cells than columns', `${row},extra`, 'The row has more cells than the file has columns'],
    ['an unknown product', row.replace(',', '99,'), 'Product 99 isn’t in the catalogue'],
    ['a number in words', row.replace(',', 'one,'), '“one” isn’t a valid product number'],
    ['a category that is missing', row.replace('Toys', ''), 'Category is missing'],
    ['a visibility that is neither yes nor no', row.replace('yes', 'perhaps'), 'Visible isn’t yes or no'],
  ])('is imported without a row that has %s, which is reported', async (_, bad, problem) => {
    const { importCsv, readTitles } = await openCsvOffice()
    const { text } = await importCsv(joinLines(header, row.replace('Kite', 'Ball'), bad))
    expect(parseReport(text)[0]).toBe(1)
    expect(text).toContain(`<strong>Line 3:</strong> ${problem}`)
    expect(await readTitles()).toContain('Ball')
  })

  it('never breaks the office, whatever its content', async () => {
    const { importCsv, get } = await openCsvOffice()
    const cell = fc.oneof(
      fc.string(),
      fc.constantFrom(
        '1',
        '2',
        '"',
        ',',
        ';',
        '\n',
        '__proto__',
        '=1+1',
        '<script>alert(1)</script>',
        '-1',
        '1e99',
        '\ud800',
      ),
    )
    const name = fc.oneof(
      fc.constantFrom(
        'Product',
        'Item',
        'Name',
        'Price KSH',
        'Size',
        'Size type',
        'Photo 1',
        'Description',
        'Category',
        'Handle',
        'Title',
        'Variant Price',
        'Type',
        'Regular price',
        'constructor',
      ),
      cell,
    )
    const file = fc
      .tuple(fc.array(name, { maxLength: 9 }), fc.array(fc.array(cell, { maxLength: 10 }), { maxLength: 6 }))
      .map(([columns, rows]) => [columns, ...rows].map((cells) => cells.join(',')).join('\n'))
    await fc.assert(
      fc.asyncProperty(file, async (text) => {
        const answer = await importCsv(text)
        expect([200, 409]).toContain(answer.status)
        expect(answer.text).not.toContain('<script>alert')
      }),
      { numRuns: 50 },
    )
    for (const path of ['/catalogue', '/catalogue/publish', '/catalogue/csv'])
      expect((await get(path)).status, path).toBe(200)
  })
})

it('a CSV file with 5,000 products is imported in one step', async () => {
  const { importCsv, download, ctx } = await openCsvOffice()
  const rows = Array.from(
    { length: 5000 },
    (_, index) => `,,Product ${index},"Soft, ${index}",Toys,yes,${index + 1},/a.svg`,
  )
  const { text } = await importCsv(
    joinLines('Product,Item,Name,Description,Category,Visible,Price KSH,Photo 1', ...rows),
  )
  expect(parseReport(text)).toEqual([5000, 0, 0, 0])
  expect((await readDraft(ctx)).entries).toHaveLength(5003)
  expect((await download('own')).split('\r\n')).toHaveLength(1 + 5004 + 1)
})
