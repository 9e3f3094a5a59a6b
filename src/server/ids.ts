const ID_BYTES = 16

type Randomness = { randomBytes: (length: number) => Uint8Array<ArrayBuffer> }

/** A new record's id: 128 random bits, in URL-safe base64. */
export function newId({ randomBytes }: Randomness): string {
  return base64Url(randomBytes(ID_BYTES))
}

/** Bytes as URL-safe base64 without padding (RFC 4648 § 5). */
export function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** Bytes in hexadecimal. */
export function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** SHA-256 of a text, in hexadecimal: how secrets are stored. */
export async function sha256Hex(text: string): Promise<string> {
  return hex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}
