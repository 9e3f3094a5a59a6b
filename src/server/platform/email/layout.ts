import { escapeHtml } from '#server/platform/escape-html.ts'
import { colours } from '#shared/colours.ts'
import { keepAmountsUnbroken } from '#shared/format.ts'
import { shop } from '#shared/shop.ts'
import { ORDER_LINK, SHOP_EMAIL, SHOP_PHONE } from './mailer.ts'

export type EmailBlock =
  | { kind: 'paragraph'; text: string }
  /** Starts a new page when printed. */
  | { kind: 'heading'; text: string }
  | { kind: 'rows'; rows: readonly { label: string; value: string; isStrong?: boolean }[] }
  | { kind: 'link'; label: string; url: string }
  | { kind: 'quote'; text: string }

export type PrintableBlock = Exclude<EmailBlock, { kind: 'link' }>

type EmailBody = { text: string; html: string }

/** Matches URLs, words that contain an @, and host names that start with `www`. Email clients turn them into links. */
const LINK_PATTERN =
  /[a-z][a-z0-9+.-]*:\/\/\S*|(?:mailto|tel|javascript|data):\S*|\S*[@＠]\S*|\bwww[.。．｡]\S*/giu
const DOT_IN_WORD_PATTERN = /(?<=[\p{L}\p{N}])[.。．｡](?=[\p{L}\p{N}])/gu

/**
 * Changes what a shopper typed so that email clients don't turn any of it into links. A dot within a word gets a space:
 * `St.John` becomes `St. John`.
 */
export function withoutLinks(text: string): string {
  // Email clients ignore invisible characters, which could hide an address from the pattern.
  return text
    .replace(/\p{Cf}/gu, '')
    .replace(LINK_PATTERN, '')
    .replace(DOT_IN_WORD_PATTERN, '. ')
    .replace(/\s+/g, ' ')
    .trim()
}

/**
 * In the blocks, {@link ORDER_LINK} and {@link SHOP_EMAIL} work only in the URLs of links, because other texts can
 * contain user input.
 */
export function renderEmail(rawHeading: string, rawBlocks: readonly EmailBlock[]): EmailBody {
  const heading = neutralisePlaceholders(rawHeading)
  const blocks = rawBlocks.map(neutraliseBlockPlaceholders)
  const signature = `${shop.name}, ${shop.city}`
  return {
    text: `${[heading, ...blocks.map(renderBlockText), `${signature}\n${SHOP_EMAIL}${SHOP_PHONE}`].join('\n\n')}\n`,
    html: [
      '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">',
      '<meta name="color-scheme" content="light"></head>',
      `<body style="margin:0;padding:24px 12px;background:${colours.cotton};color:${colours.ink};${SANS_STYLE}">`,
      `<div style="max-width:560px;margin:0 auto;padding:28px 24px;background:${colours.paper};border:1px solid ${colours.thread};border-radius:16px">`,
      `<p style="margin:0 0 20px;padding-bottom:12px;border-bottom:2px dashed ${colours.clay};color:${colours.clayDeep};font-size:20px;${SERIF_STYLE}">${shop.name}</p>`,
      `<h1 style="margin:0 0 16px;font-size:24px;line-height:1.2;${SERIF_STYLE}">${escapeHtml(heading)}</h1>`,
      ...blocks.map(renderBlockHtml),
      `<p style="margin:28px 0 0;padding-top:16px;border-top:1px solid ${colours.thread};color:${colours.inkSoft};font-size:14px">`,
      `${signature}<br><a href="mailto:${SHOP_EMAIL}" style="color:${colours.clayDeep}">${SHOP_EMAIL}</a>${SHOP_PHONE}</p>`,
      '</div></body></html>',
    ].join(''),
  }
}

/** Makes placeholders in user input invalid with an invisible character. */
function neutralisePlaceholders(text: string): string {
  return text.replace(PLACEHOLDER_PATTERN, (placeholder) => placeholder.replace('%', '%\u2060'))
}

const PLACEHOLDER_PATTERN = new RegExp(`${ORDER_LINK}|${SHOP_EMAIL}|${SHOP_PHONE}`, 'g')

function neutraliseBlockPlaceholders(block: EmailBlock): EmailBlock {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
    case 'quote':
      return { ...block, text: neutralisePlaceholders(block.text) }
    case 'rows':
      return {
        ...block,
        rows: block.rows.map((row) => ({
          ...row,
          label: neutralisePlaceholders(row.label),
          value: neutralisePlaceholders(row.value),
        })),
      }
    case 'link':
      return { ...block, label: neutralisePlaceholders(block.label) }
  }
}

// Many email clients support neither style sheets nor custom properties.
const SERIF_STYLE = "font-family:Georgia,'Times New Roman',serif;font-weight:600"
const SANS_STYLE = "font:16px/1.55 -apple-system,'Segoe UI',Roboto,Arial,sans-serif"

function renderBlockText(block: EmailBlock): string {
  switch (block.kind) {
    case 'paragraph':
    case 'heading':
      return block.text
    case 'rows':
      return block.rows.map(({ label, value }) => (value ? `${label}: ${value}` : label)).join('\n')
    case 'link':
      return `${block.label}:\n${block.url}`
    case 'quote':
      return block.text
        .split(/\r\n|\r|\n/)
        .map((line) => `> ${line}`)
        .join('\n')
  }
}

function renderBlockHtml(block: EmailBlock): string {
  switch (block.kind) {
    case 'paragraph':
      return `<p style="margin:0 0 16px">${renderUnbroken(block.text)}</p>`
    case 'heading':
      return `<h2 style="break-before:page;margin:32px 0 16px;font-size:24px;line-height:1.2;${SERIF_STYLE}">${escapeHtml(block.text)}</h2>`
    case 'rows':
      return `<table style="width:100%;margin:0 0 16px;border-collapse:collapse">${block.rows.map(renderRowHtml).join('')}</table>`
    case 'link':
      return `<p style="margin:24px 0"><a href="${escapeHtml(block.url)}" style="display:inline-block;padding:12px 22px;border-radius:12px;background:${colours.clay};color:${colours.paper};font-weight:600;text-decoration:none">${escapeHtml(block.label)}</a></p>`
    case 'quote':
      return `<p style="margin:0 0 16px;padding:2px 0 2px 16px;border-left:3px solid ${colours.marigold};white-space:pre-line">${escapeHtml(block.text)}</p>`
  }
}

function renderRowHtml({
  label,
  value,
  isStrong = false,
}: {
  label: string
  value: string
  isStrong?: boolean
}) {
  const weight = isStrong ? ';font-weight:600' : ''
  const cell = `padding:6px 0;border-bottom:1px solid ${colours.thread};vertical-align:top${weight}`
  return `<tr><td style="${cell};padding-right:16px">${renderUnbroken(label)}</td><td style="${cell};text-align:right">${renderUnbroken(value)}</td></tr>`
}

const ORDER_NUMBER_PATTERN = new RegExp(`\\b${shop.orderPrefix}-[A-Z0-9]{6}\\b`, 'g')

/** Keeps amounts and order numbers on one line. */
function renderUnbroken(text: string): string {
  const html = escapeHtml(keepAmountsUnbroken(text))
  return html.replace(ORDER_NUMBER_PATTERN, '<span style="white-space:nowrap">$&</span>')
}
