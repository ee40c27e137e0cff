const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

/** UUIDv7: sorts by creation time, so indexes grow at one end. */
export function createUid(): string {
  return Bun.randomUUIDv7()
}

export function isUid(value: string): boolean {
  return UUID.test(value)
}

/** 256 random bits as 43 url-safe characters. */
export function createSecret(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString('base64url')
}
