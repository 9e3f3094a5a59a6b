import fc from 'fast-check'

/** fast-check's `binary` unit first lists all characters, which is slower. */
const anyCharacter = fc.integer({ min: 0, max: 0x10ffff }).map(
  (codePoint) => String.fromCodePoint(codePoint),
  (character) => String(character).codePointAt(0) ?? -1,
)

export const anyCharacters = fc.string({ unit: anyCharacter })

export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\r\n',
  "' OR '1'='1' --",
  "'; DROP TABLE users; --",
  "x' UNION SELECT password_hash FROM users --",
  '%_%',
  '<script>hostile()</script>',
  '"><img src=x onerror=hostile()>',
  "'-hostile()-'",
  '</script><script>hostile()</script>',
  '</textarea><svg onload=hostile()>',
  '<!--<script>hostile()',
  'javascript:hostile()',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  'x\r\nX-Injected: yes',
  'x%0d%0aX-Injected:%20yes',
  'amina@example.com\r\nBcc: victims@example.com',
  'amina@example.com,victims@example.com',
  '"<script>hostile()</script>"@example.com',
  'a@b',
  'a@@b.ke',
  '../../../../etc/passwd',
  '..%2f..%2fetc%2fpasswd',
  'file:///etc/passwd',
  '\0',
  'nul\0inside',
  '\ud800lone',
  'lone\udfff',
  '\u202egnp.exe',
  '\u200b\u200b\u200b',
  '\u2028\u2029',
  '\ufeffbom',
  'e\u0301'.repeat(500),
  '👩‍👩‍👧‍👦'.repeat(60),
  'ÿ'.repeat(255),
  'x'.repeat(300),
  'x'.repeat(5000),
  'x'.repeat(60_000),
  '9'.repeat(400),
  '-1',
  '1e999',
  'NaN',
  '0x10',
  'null',
  'true',
  '[object Object]',
  '__proto__',
  'constructor',
  'hasOwnProperty',
  '=HYPERLINK("http://evil.example")',
  '$(id)`id`|id;id',
]

export const HOSTILE_VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  false,
  0,
  -0,
  -1,
  1.5,
  2 ** 31,
  2 ** 53,
  1e308,
  [],
  [[]],
  [null],
  ['x', 'y'],
  {},
  { $ne: null },
  { length: 1, 0: 'x' },
  { toString: 'x', valueOf: 1 },
  JSON.parse('{"__proto__":{"polluted":true}}'),
  JSON.parse('{"constructor":{"prototype":{"polluted":true}}}'),
  Array.from({ length: 3000 }, (_, index) => ({ id: index + 1, qty: 1 })),
]

export const HOSTILE_BODIES: readonly BodyInit[] = [
  '',
  ' ',
  '{',
  '[',
  '"',
  'null',
  'true',
  '7',
  '""',
  '[]',
  '[{}]',
  '{}',
  '{"a":1}{"b":2}',
  '{"a":1,}',
  "{'a':1}",
  '{"a":NaN}',
  '{"a":1e9999}',
  '{"__proto__":{"polluted":true}}',
  '{"constructor":{"prototype":{"polluted":true}}}',
  '{"hasOwnProperty":1,"toString":2,"then":3}',
  '\ufeff{}',
  '\0',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]><x>&e;</x>',
  'a=1&b=2',
  '['.repeat(30_000),
  '{"a":'.repeat(10_000),
  `{"a":"${'x'.repeat(60_000)}"}`,
  `{"a":"${'x'.repeat(70_000)}"}`,
  new Uint8Array([0xff, 0xfe, 0x7b, 0x00, 0x7d, 0x00]),
  new Uint8Array([0x7b, 0x22, 0xc0, 0xaf, 0x22, 0x3a, 0x31, 0x7d]),
  new Uint8Array([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0]),
]

const shares = new WeakMap<readonly unknown[], number>()

/** Returns the next share of the list on each call, so that fields divide the hostile values between them. */
export function takeNextShare<Value>(list: readonly Value[], parts = 6): Value[] {
  const share = shares.get(list) ?? 0
  shares.set(list, share + 1)
  return list.filter((_, index) => (index + share) % parts === 0)
}

/** `undefined` as the value removes the field. */
export function withField(body: unknown, path: string, value: unknown): unknown {
  const copy = structuredClone(body)
  const keys = path.split('.')
  const last = keys.pop() ?? ''
  let place = copy as Record<string, unknown>
  for (const key of keys) place = place[key] as Record<string, unknown>
  if (value === undefined) delete place[last]
  else place[last] = value
  return copy
}

export function listFieldPaths(body: unknown, prefix = ''): string[] {
  if (typeof body !== 'object' || body === null) return []
  return Object.entries(body).flatMap(([key, value]) => [
    prefix + key,
    ...listFieldPaths(value, `${prefix}${key}.`),
  ])
}
