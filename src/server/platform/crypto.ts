const ID_BYTES = 16

type Randomness = { randomBytes: (length: number) => Uint8Array<ArrayBuffer> }

export function newId({ randomBytes }: Randomness): string {
  return base64Url(randomBytes(ID_BYTES))
}

export function base64Url(bytes: Uint8Array): string {
  // Not `toBase64`: Node 24, which runs the operator's commands, lacks it.
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '')
}

export async function sha256Hex(text: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text))
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
