import { gzipSync } from 'node:zlib'
import { clientSizes, serverBytes } from './build-sizes.ts'
import type { Row } from './report.ts'

const BYTES_PER_KB = 1000
const kilobytes = (bytes: number) => bytes / BYTES_PER_KB

/** S4–S7 and S14's size: what the build alone decides, whatever the machine. `shopHtml` is the Shop with 56 products. */
export function sizeRows(root: string, shopHtml: Uint8Array): Row[] {
  const { pages, stylesheetBytes } = clientSizes(root)
  const largest = pages.toSorted((a, b) => b.scriptBytes - a.scriptBytes)[0]
  const busiest = pages.toSorted((a, b) => b.requests - a.requests)[0]
  const KB = { unit: 'KB' }
  return [
    {
      ...{ id: 'S4', what: `script on the first load, brotli (most: ${largest?.page})` },
      ...{ value: kilobytes(largest?.scriptBytes ?? Number.NaN), ...KB, budget: { atMost: 74 } },
    },
    {
      id: 'S5',
      what: 'CSS, brotli, one file',
      value: kilobytes(stylesheetBytes),
      ...KB,
      budget: { atMost: 10 },
    },
    {
      id: 'S6',
      what: 'Shop HTML, 56 products',
      value: kilobytes(shopHtml.byteLength),
      ...KB,
      budget: { atMost: 40 },
    },
    {
      ...{ id: 'S6', what: 'Shop HTML, 56 products, gzip' },
      ...{ value: kilobytes(gzipSync(shopHtml).byteLength), ...KB, budget: { atMost: 7 } },
    },
    {
      ...{ id: 'S7', what: `page, style and scripts before usable (most: ${busiest?.page})` },
      ...{ value: busiest?.requests ?? Number.NaN, budget: { atMost: 4 } },
    },
    { id: 'S14', what: 'Worker, gzip', value: kilobytes(serverBytes(root)), ...KB, budget: { atMost: 400 } },
  ]
}
