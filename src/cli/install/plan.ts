import type { ContentsEntry } from '../../lib/zip/contents.ts'
import { cleanPath, type InstalledFile } from './record.ts'

/** A part of a file of the zip that can be fetched and unpacked in memory. */
export interface Piece {
  /** In the file. */
  at: number
  size: number
  sha256: string
  /** In the zip. */
  packedAt: number
  packed: number
  isDeflated: boolean
}

/** A file that must be written. */
export interface NewFile {
  path: string
  size: number
  sha256: string
  isExecutable: boolean
  /** What it is called until it is put in place: its content, so that another update can use it too. */
  staged: string
  /** The staged file of the same content, from which it is copied. */
  copyOf: string | null
  /** Null for a large file without blocks, whose packed bytes are kept until they can be unpacked. */
  pieces: Piece[] | null
  packedAt: number
  packed: number
  isDeflated: boolean
}

/** Bytes of an installed file. */
export interface LocalPart {
  path: string
  at: number
  size: number
}

export interface InstallPlan {
  /** Already in place. */
  kept: InstalledFile[]
  files: NewFile[]
  /** Installed files that the new version does not have. */
  removed: InstalledFile[]
  /** Where content lies on this machine, by its SHA-256. */
  local: ReadonlyMap<string, LocalPart>
}

interface Installed {
  files: readonly InstalledFile[]
  /** Of the installed build, for the blocks of its files. */
  contents: readonly ContentsEntry[]
  /** Whether the file is in place with the recorded content. */
  isIntact: (file: InstalledFile) => boolean
}

/** Larger blocks are not unpacked in memory, whatever the store says. */
export const BLOCK_MAX = 16 * 1024 ** 2
/** Of larger files without blocks, what was fetched is kept when the command is interrupted. */
const WHOLE_MAX = 4 * 1024 ** 2
const DEFLATED = 8
const EXECUTABLE = 0o111

/** What an installation keeps, what it writes, and where the content of it may be found without fetching. */
export function planInstall(
  entries: readonly ContentsEntry[],
  installed: Installed,
  launchPath: string | null = null,
): InstallPlan {
  const before = new Map(installed.files.map((file) => [file.path, file]))
  const kept: InstalledFile[] = []
  const files: NewFile[] = []
  const stagedBySum = new Map<string, string>()
  const paths = new Set<string>()
  for (const entry of entries) {
    const path = cleanPath(entry.path)
    paths.add(path)
    const isExecutable = entry.mode === null ? path === launchPath : (entry.mode & EXECUTABLE) !== 0
    const old = before.get(path)
    const isSame = old?.sha256 === entry.sha256 && old.executable === isExecutable
    if (old && isSame && installed.isIntact(old)) {
      kept.push(old)
      continue
    }
    const copyOf = stagedBySum.get(entry.sha256) ?? null
    const staged = `${entry.sha256}${isExecutable ? '.x' : ''}${copyOf === null ? '' : `-${files.length}`}`
    if (copyOf === null) stagedBySum.set(entry.sha256, staged)
    files.push({
      path,
      size: entry.size,
      sha256: entry.sha256,
      isExecutable,
      staged,
      copyOf,
      pieces: toPieces(entry),
      packedAt: entry.dataAt,
      packed: entry.packed,
      isDeflated: entry.method === DEFLATED,
    })
  }
  const removed = installed.files.filter(({ path }) => !paths.has(path))
  return { kept, files, removed, local: findLocal(installed) }
}

/** The blocks of an entry, the entry itself if it is small, or null. */
function toPieces(entry: ContentsEntry): Piece[] | null {
  const isDeflated = entry.method === DEFLATED
  if (entry.blocks?.every(({ size, packedSize }) => Math.max(size, packedSize) <= BLOCK_MAX)) {
    let [at, packedAt] = [0, entry.dataAt]
    return entry.blocks.map(({ size, packedSize: packed, sha256 }) => {
      const piece = { at, size, sha256, packedAt, packed, isDeflated }
      at += size
      packedAt += packed
      return piece
    })
  }
  const { size, packed, sha256, dataAt: packedAt } = entry
  const isSmall = Math.max(size, packed) <= WHOLE_MAX
  return isSmall ? [{ at: 0, size, sha256, packedAt, packed, isDeflated }] : null
}

/** Whole files before blocks: one copy is cheaper than many. What a file really holds is checked when it is copied. */
function findLocal({ files, contents }: Installed): Map<string, LocalPart> {
  const local = new Map<string, LocalPart>()
  for (const { path, size, sha256 } of files) local.set(sha256, { path, at: 0, size })
  const installed = new Map(files.map((file) => [file.path, file.sha256]))
  for (const entry of contents) {
    const path = cleanPath(entry.path)
    if (installed.get(path) !== entry.sha256) continue
    let at = 0
    for (const { size, sha256 } of entry.blocks ?? []) {
      if (!local.has(sha256)) local.set(sha256, { path, at, size })
      at += size
    }
  }
  return local
}
