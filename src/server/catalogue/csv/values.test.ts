import { expect, it } from 'vitest'
import { htmlToText, inferScale, parseAmountKsh, parseCategoryPaths, parseDateTime } from './values.ts'

it.each([
  ['1250', 1250],
  ['1,250.00', 1250],
  ['1.250,50', 1250.5],
  ['1250,5', 1250.5],
  ['12,500', 12_500],
  ['KSh 1 250', 1250],
  ['Kshs. 99.50', 99.5],
  ['1250/-', 1250],
  ['', null],
  ['free', Number.NaN],
  ['=1+1', Number.NaN],
  ['1e9', Number.NaN],
  ['1,2,3', Number.NaN],
  ['0x10', Number.NaN],
])('the CSV import reads the amount %j as %s', (text, amount) => {
  expect(parseAmountKsh(text)).toBe(amount)
})

it.each([
  ['2026-12-24', false, '2026-12-23T21:00:00.000Z'],
  ['2026-12-24', true, '2026-12-24T21:00:00.000Z'],
  ['2026-12-24 08:30', true, '2026-12-24T05:30:00.000Z'],
  ['2026-12-24T08:30:00+00:00', false, '2026-12-24T08:30:00.000Z'],
  ['', false, null],
  ['24/12/2026', false, undefined],
  ['2026-13-01', false, undefined],
])('the CSV import reads the time %j (as an end: %s) as %s', (text, isEnd, moment) => {
  expect(parseDateTime(text, { isEnd })).toBe(moment)
})

it.each([
  ['<p>Soft <b>cotton</b>.</p><ul><li>Washable</li></ul>', 'Soft cotton.\n– Washable'],
  ['Salt &amp; pepper &lt;3 &#39;ok&#39; &#x1F600;', "Salt & pepper <3 'ok' 😀"],
  ['<script>alert(1)</script>Cool<style>p{}</style>', 'Cool'],
  ['Cool<SCRIPT>alert(1)<script>alert(2)', 'Cool'],
  ['<img src=x onerror=alert(1)>Hat', 'Hat'],
  ['&#xD800;&#0;&unknown;', '&unknown;'],
  ['2 < 3', '2 < 3'],
])('the CSV import turns the HTML %j into text', (html, text) => {
  expect(htmlToText(html)).toBe(text)
})

it.each([
  [['S', 'M', '2XL'], 'clothing'],
  [['12–18 months', '2–3 years'], 'age'],
  [['22', '23'], 'child-shoe'],
  [['38', 'EU 41'], 'shoe'],
  [['48–50 cm'], 'head'],
  [['S / Red', 'M / Red'], 'clothing'],
  [['Red', 'Blue'], undefined],
])('the CSV import infers the size type of %j: %s', (labels, scale) => {
  expect(inferScale(labels)).toBe(scale)
})

it.each([
  [['Apparel > Women’s Clothing > Dresses', 'Sale'], 'Women’s Clothing'],
  [['Apparel > Dresses'], 'Dresses'],
  [[''], ''],
])('the CSV import finds the category in %j: %j', (paths, category) => {
  expect(parseCategoryPaths(paths)).toBe(category)
})
