import { expect, it } from 'vitest'
import { parseAccountReference } from './account-reference.ts'

it.each(['P-7K3M9Q', 'p7k3m9q', ' P 7K3 M9Q ', '7K3M9Q', '#P-7K3M9Q', 'order P-7K3M9Q'])(
  'an order number is found in the account reference %j',
  (text) => expect(parseAccountReference(text)).toBe('P-7K3M9Q'),
)

it.each(['', 'Amina', '0712345678', 'P-7K3M', 'P-7K3M9QQ', '=1+1'])(
  'no order number is found in the account reference %j',
  (text) => expect(parseAccountReference(text)).toBeUndefined(),
)
