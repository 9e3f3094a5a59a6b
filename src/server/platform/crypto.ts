const ID_BYTES = 16

type Randomness = { randomBytes: (length: number) => Uint8Array<ArrayBuffer> }

/** The id of a new row: 128 random bits, in URL-safe base64. */
export function newId({ randomBytes }: Randomness): string {
  return base64Url(randomBytes(ID_BYTES))
}

/** Bytes as URL-safe base64 without padding (RFC 4648 § 5). */
export function base64Url(bytes: Uint8Array): string {
  // Not `toBase64`, which Node 24 lacks: the operator's commands run there.
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

/** SHA-256 of a text, in hexadecimal. */
export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
