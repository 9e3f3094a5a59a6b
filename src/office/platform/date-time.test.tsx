import { renderToStaticMarkup } from 'react-dom/server.node'
import { describe, expect, it } from 'vitest'
import { DateTime, NowMsContext } from './date-time.tsx'

const NOW_MS = Date.parse('2026-11-24T13:05:00+03:00')
const show = (iso: string, isInline = false) =>
  renderToStaticMarkup(
    <NowMsContext value={NOW_MS}>
      <DateTime atMs={Date.parse(iso)} isInline={isInline} />
    </NowMsContext>,
  ).replace(/<[^>]*>/g, '')

describe('a moment', () => {
  it.each([
    ['2026-11-24T13:05:00+03:00', 'Today, 13:05', 'today at 13:05'],
    ['2026-11-24T00:00:00+03:00', 'Today, 00:00', 'today at 00:00'],
    ['2026-11-23T23:59:00+03:00', 'Yesterday, 23:59', 'yesterday at 23:59'],
    ['2026-11-22T09:30:00+03:00', '22 November, 09:30', '22 November at 09:30'],
    ['2026-11-25T09:30:00+03:00', '25 November, 09:30', '25 November at 09:30'],
    ['2025-12-31T09:30:00+03:00', '31 December 2025, 09:30', '31 December 2025 at 09:30'],
  ])('is shown in the shop’s time zone, relative to today: %s', (iso, text, inline) => {
    expect([show(iso), show(iso, true)]).toEqual([text, inline])
  })
})
