import { lstat, truncate } from 'node:fs/promises'

import { unlessMissing } from '../../lib/unless-missing.ts'
import { hashPart } from './copy-part.ts'
import type { NewFile, Piece } from './plan.ts'
import type { InstallProgress } from './progress.ts'
import type { StagedFiles } from './staged-files.ts'

/** What is not yet written, or not right. */
export interface Missing {
  file: NewFile
  /** Null where the whole file is missing. */
  pieces: Piece[] | null
}

/** Reads what was written and compares it with its SHA-256, unless it was hashed while it came in. */
export async function findMissing(
  staged: StagedFiles,
  files: readonly NewFile[],
  right: ReadonlySet<NewFile>,
  { progress, signal }: { progress: InstallProgress; signal: AbortSignal },
): Promise<Missing[]> {
  const written: { file: NewFile; size: number }[] = []
  const missing: Missing[] = []
  for (const file of files) {
    if (right.has(file)) continue
    const found = await unlessMissing(lstat(staged.path(file)))
    if (found === null) missing.push({ file, pieces: null })
    else written.push({ file, size: found.size })
  }
  for (const { file, size } of written) {
    signal.throwIfAborted()
    const isRight = await isComplete(staged.path(file), file, size)
    progress.advance('checked', size)
    if (!isRight) missing.push({ file, pieces: await findWrongPieces(staged, file, size) })
    else if (file.pieces === null) await staged.spool(file).remove()
  }
  return missing
}

async function isComplete(path: string, file: NewFile, size: number): Promise<boolean> {
  return size === file.size && (await hashPart({ path, at: 0, size })) === file.sha256
}

/** Null for a file that must be written again as a whole. */
async function findWrongPieces(staged: StagedFiles, file: NewFile, size: number): Promise<Piece[] | null> {
  const path = staged.path(file)
  if (file.pieces === null || file.copyOf !== null) {
    await staged.remove(file)
    await staged.spool(file).remove()
    return null
  }
  if (size > file.size) await truncate(path, file.size)
  const wrong: Piece[] = []
  for (const piece of file.pieces) {
    const isThere = piece.at + piece.size <= size
    if (!isThere || (await hashPart({ ...piece, path })) !== piece.sha256) wrong.push(piece)
  }
  // All parts are as announced, but together they are not the file.
  return wrong.length === 0 ? file.pieces : wrong
}
