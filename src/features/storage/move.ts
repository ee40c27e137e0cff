import { ensureInstallation } from '../../clients/object-store/storage-owner.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import type { ObjectMoves } from './jobs.ts'
import { renameFile } from './queries.ts'

/**
 * Copies each object, points its row at the copy, then deletes the original. Repeating it is harmless, and so is a
 * crash in between: the hourly job removes the copy that no row refers to.
 */
export async function runMoves(
  deps: Pick<Deps, 'db' | 'store'>,
  { moves }: ObjectMoves,
  signal?: AbortSignal,
): Promise<void> {
  await ensureInstallation(deps)
  for (const { from, to } of moves) {
    signal?.throwIfAborted()
    await moveObject(deps, from, to)
  }
}

async function moveObject(
  { db, store }: Pick<Deps, 'db' | 'store'>,
  from: string,
  to: string,
): Promise<void> {
  if ((await store.head(to)) === null) {
    try {
      await store.copy(from, to)
    } catch (error) {
      // Its file was deleted in the meantime.
      if (error instanceof AppError && error.kind === 'not_found') return
      throw error
    }
  }
  if (!(await renameFile(db, from, to))) await store.delete(to)
  await store.delete(from)
}
