/** A signed text, in the format of secure-systems-lab/dsse. */
export interface DsseEnvelope {
  payloadType: string
  /** Base64. */
  payload: string
  signatures: { keyid: string; sig: string }[]
}

/** A public Ed25519 key as a JWK. */
export interface PublicKey {
  kty: string
  crv: string
  x: string
  kid: string
}

const IN_TOTO_TYPE = 'application/vnd.in-toto+json'
const ALGORITHM = 'Ed25519'

/** What is signed: the type and the text, each with its length, so that neither can pass for a part of the other. */
function encodeForSigning(type: string, payload: Uint8Array): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder()
  const head = encoder.encode(`DSSEv1 ${encoder.encode(type).length} ${type} ${payload.length} `)
  const bytes = new Uint8Array(head.length + payload.length)
  bytes.set(head)
  bytes.set(payload, head.length)
  return bytes
}

export async function signEnvelope(
  text: string,
  { id, key }: { id: string; key: CryptoKey },
): Promise<DsseEnvelope> {
  const payload = new TextEncoder().encode(text)
  const signature = await crypto.subtle.sign(ALGORITHM, key, encodeForSigning(IN_TOTO_TYPE, payload))
  return {
    payloadType: IN_TOTO_TYPE,
    payload: toBase64(payload),
    signatures: [{ keyid: id, sig: toBase64(new Uint8Array(signature)) }],
  }
}

/** The text, if one of these keys signed it; null otherwise. */
export async function verifyEnvelope(
  { payloadType, payload, signatures }: DsseEnvelope,
  keys: readonly PublicKey[],
): Promise<{ text: string; keyId: string } | null> {
  const bytes = fromBase64(payload)
  if (payloadType !== IN_TOTO_TYPE) return null
  for (const { keyid, sig } of signatures) {
    const known = keys.find(({ kid }) => kid === keyid)
    if (!known) continue
    const { kty, crv, x } = known
    const key = await crypto.subtle.importKey('jwk', { kty, crv, x }, ALGORITHM, false, ['verify'])
    const signed = encodeForSigning(payloadType, bytes)
    if (await crypto.subtle.verify(ALGORITHM, key, fromBase64(sig), signed))
      return { text: new TextDecoder().decode(bytes), keyId: keyid }
  }
  return null
}

/** SHA-256 of the public key's 32 bytes, in hex. */
export async function keyIdOf(x: string): Promise<string> {
  const bytes = fromBase64(x.replaceAll('-', '+').replaceAll('_', '/'))
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

function toBase64(bytes: Uint8Array): string {
  return btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}
