import { timingSafeEqual } from 'node:crypto'

import { loadEmbeddedMajor } from '../db/embedded/embedded.ts'
import { parseJsonOrNull } from '../lib/json.ts'
import { createKeyring } from '../lib/keyring.ts'
import { VERSION } from '../lib/version.ts'

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
  const mac = new Bun.CryptoHasher('sha256', key)
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
  const macs = keys ? deriveKeys(keys).map((key) => new Bun.CryptoHasher('sha256', key)) : []
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

/** 1 contained the key and was not signed. */
const FORMAT = 2

/** The parts an archive can contain, named as in DATA_DIR; only the first format has the key. */
export const PARTS = ['postgres', 'objects', 'mail', 'secret-key'] as const
export type Part = (typeof PARTS)[number]

/** The first member of every archive. */
export const MANIFEST = 'manifest.json'

export interface Manifest {
  format: number
  /** The Playshelf version that wrote it. */
  playshelf: string
  /** The major version of Postgres that wrote the data files. */
  postgres: number
  created_at: string
  holds: Part[]
}

export async function createManifest(holds: Part[]): Promise<Manifest> {
  const postgres = await loadEmbeddedMajor()
  return { format: FORMAT, playshelf: VERSION, postgres, created_at: new Date().toISOString(), holds }
}

/** Throws when this version cannot restore the archive that the manifest describes. */
export function checkManifest(text: string, postgresHere: number): Manifest {
  const value = parseManifest(text)
  if (value === null) throw new Error('This is not a Playshelf backup: its manifest cannot be read')
  if (value.format > FORMAT) {
    throw new Error(
      `This backup was written by Playshelf ${value.playshelf} in a newer format. Restore it with that version`,
    )
  }
  if (value.postgres !== postgresHere) {
    throw new Error(
      `This backup contains data of Postgres ${value.postgres}, but this is Postgres ${postgresHere}. Restore it with Playshelf ${value.playshelf}`,
    )
  }
  return value
}

function parseManifest(text: string): Manifest | null {
  const value = parseJsonOrNull(text)
  if (typeof value !== 'object' || value === null) return null
  const field = (name: string): unknown => Object.getOwnPropertyDescriptor(value, name)?.value
  const [format, playshelf, postgres] = [field('format'), field('playshelf'), field('postgres')]
  const [created_at, holds] = [field('created_at'), field('holds')]
  if (typeof format !== 'number' || typeof postgres !== 'number') return null
  if (typeof playshelf !== 'string' || typeof created_at !== 'string' || !Array.isArray(holds)) return null
  return { format, playshelf, postgres, created_at, holds: PARTS.filter((part) => holds.includes(part)) }
}
