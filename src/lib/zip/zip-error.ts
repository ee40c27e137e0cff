/** The zip is invalid. The message is a sentence for its author. */
export class ZipError extends Error {
  override readonly name = 'ZipError'
}

export function damagedEntry({ path }: { path: string }, reason: string): ZipError {
  return new ZipError(`${quoteName(path)} is damaged: ${reason}.`)
}

/** Bytes that belong to no file of the zip: scanners miss them, some unpackers read them. */
export function hiddenBytes(where: string): ZipError {
  return new ZipError(
    `${where} Upload a plain zip: pack the files again with an ordinary zip program, not as a self-extracting archive.`,
  )
}

/**
 * Signatures of the parts of a zip. Tools that search for them would find parts hidden in a comment or an
 * extra field.
 */
const SIGNATURES = ['\u0001\u0002', '\u0003\u0004', '\u0005\u0006', '\u0006\u0006', '\u0006\u0007'].map(
  (end) => Buffer.from(`PK${end}`),
)

export function holdsZipParts(bytes: Buffer): boolean {
  return bytes.includes('PK') && SIGNATURES.some((signature) => bytes.includes(signature))
}

const SHOWN_MAX = 120

/** Makes a name from an untrusted zip safe to show in a sentence. */
export function quoteName(name: string): string {
  const shown = name.length > SHOWN_MAX ? `${name.slice(0, SHOWN_MAX)}…` : name
  return `"${shown.toWellFormed().replace(/\p{Cc}/gu, '?')}"`
}
