import type { Deps } from '../../deps.ts'

/** Digits and capitals that are not mistaken for one another when read out: no 0 O, 1 I L, U V. */
export const ORDER_NUMBER_ALPHABET = '23456789ABCDEFGHJKMNPQRSTWXYZ'
const CHARACTERS = 6
/** Bytes from here on would make the first characters likelier than the rest. */
const FAIR_BYTES = 256 - (256 % ORDER_NUMBER_ALPHABET.length)

/** A new order number for people: `P-7K3M9Q`, one of some 600 million. */
export function newOrderNumber({ randomBytes }: Pick<Deps, 'randomBytes'>): string {
  let characters = ''
  while (characters.length < CHARACTERS) {
    for (const byte of randomBytes(CHARACTERS)) {
      if (byte < FAIR_BYTES) characters += ORDER_NUMBER_ALPHABET.charAt(byte % ORDER_NUMBER_ALPHABET.length)
    }
  }
  return `P-${characters.slice(0, CHARACTERS)}`
}
