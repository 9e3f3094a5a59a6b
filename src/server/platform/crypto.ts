const ID_BYTES = 16

type Randomness = { randomBytes: (length: number) => Uint8Array<ArrayBuffer> }

export function newId({ randomBytes }: Randomness): string {
  return encodeBase64Url(randomBytes(ID_BYTES))
}

export function encodeBase64Url(bytes: Uint8Array): string {
  // Node 24, which runs the operator's commands, lacks `Uint8Array.prototype.toBase64` and `toHex`.
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

export async function sha256Hex(text: string): Promise<string> {
  return toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}
