import { createHmac, type Hmac, timingSafeEqual } from 'node:crypto'

import { createKeyring } from '../lib/keyring.ts'

/**
 * The end of an archive: a frame that zstd skips, with the HMAC of all bytes before it. The key is derived from
 * SECRET_KEY, which is not in the archive: otherwise whoever can read one could sign another.
 */
const HEADER = Buffer.from([0x5e, 0x2a, 0x4d, 0x18, 48, 0, 0, 0, ...Buffer.from('playshelf-hmac-1')])
const MAC_BYTES = 32
const SIGNATURE_BYTES = HEADER.length + MAC_BYTES

export interface BackupKeys {
  secretKey: string
  previous: string | null
}

export interface ArchiveSigner {
  update(bytes: Uint8Array): void
  /** The bytes to append. */
  finish(): Uint8Array
}

export function createArchiveSigner(secretKey: string): ArchiveSigner {
  const [key = ''] = deriveKeys({ secretKey, previous: null })
  const mac = createHmac('sha256', key)
  return {
    update: (bytes) => void mac.update(bytes),
    finish: () => Buffer.concat([HEADER, mac.digest()]),
  }
}

/** Reads everything before the signature, and compares at the end. `null` checks nothing. */
export async function* readSigned(file: Blob, keys: BackupKeys | null): AsyncGenerator<Uint8Array> {
  const end = file.size - SIGNATURE_BYTES
  const signature = Buffer.from(await file.slice(Math.max(0, end)).arrayBuffer())
  const isSigned = end > 0 && signature.subarray(0, HEADER.length).equals(HEADER)
  const body = isSigned ? file.slice(0, end) : file
  if (keys && !isSigned) {
    throw new Error(
      'The archive has no signature: it is incomplete, no backup, or of an earlier version. If you know that nobody could change it, add --unverified.',
    )
  }
  const macs: Hmac[] = keys ? deriveKeys(keys).map((key) => createHmac('sha256', key)) : []
  for await (const chunk of body.stream()) {
    for (const mac of macs) mac.update(chunk)
    yield chunk
  }
  const given = signature.subarray(HEADER.length)
  if (keys && !macs.some((mac) => timingSafeEqual(mac.digest(), given))) {
    throw new Error(
      'The archive does not match its signature: it is damaged, was changed, or belongs to a store with another SECRET_KEY. Nothing was restored.',
    )
  }
}

function deriveKeys({ secretKey, previous }: BackupKeys): string[] {
  return createKeyring(secretKey, previous).derive('backup archives')
}
