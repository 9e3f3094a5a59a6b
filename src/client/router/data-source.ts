import { use } from 'react'
import { dataBlockJson, PAGE_BLOCK_ID } from '#shared/boot.ts'
import type { DataSource, MarkupData } from './page.ts'

/** Data that is here, or a promise to suspend on. */
export function dataOf<Data>(data: Data | Promise<Data>): DataSource<Data> {
  return { read: () => (data instanceof Promise ? use(data) : data) }
}

/** The server's source: like {@link dataOf}, and the data travels in the document once, for the browser to wake from. */
export function sentData<Data>(data: Data | Promise<Data>, markup?: MarkupData<Data>): DataSource<Data> {
  const source = dataOf(data)
  return {
    ...source,
    blockJson: () => dataBlockJson(markup ? markup.withoutMarkup(source.read()) : source.read()),
  }
}

/**
 * The browser's source for the page the server sent: the document's data block. It is read when React wakes that
 * part of the page, which the stream delivers with its block; where the server gave up, the browser loads it.
 */
export function receivedData<Data>(
  load: () => Data | Promise<Data>,
  markup?: MarkupData<Data>,
): DataSource<Data> {
  let source: DataSource<Data> | undefined
  return {
    read() {
      source ??= dataOf(blockData(markup) ?? load())
      return source.read()
    },
    blockJson: () => '',
  }
}

function blockData<Data>(markup: MarkupData<Data> | undefined): Data | undefined {
  const block = document.getElementById(PAGE_BLOCK_ID)
  if (!block) return undefined
  const data = JSON.parse(block.textContent) as Data
  return markup ? markup.withMarkup(data) : data
}
