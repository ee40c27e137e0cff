import { readEmbeddedMajor } from '../db/embedded/embedded-program.ts'
import { parseJsonOrNull } from '../lib/json.ts'
import { VERSION } from '../lib/version.ts'

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
  const postgres = await readEmbeddedMajor()
  return { format: FORMAT, playshelf: VERSION, postgres, created_at: new Date().toISOString(), holds }
}

/** Throws when this version cannot restore the archive that the manifest describes. */
export function readManifest(text: string, postgresHere: number): Manifest {
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
