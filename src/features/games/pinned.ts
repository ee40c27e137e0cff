import type { Transaction } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { findPinningJam } from './queries.ts'

/**
 * Refuses to delete what a jam lets people play. Call it once the rows are locked for deletion: a jam locks them before
 * it pins their files.
 */
export async function refuseIfPinned(
  tx: Transaction,
  gameUid: string,
  buildUid: string | null,
): Promise<void> {
  const jam = await findPinningJam(tx, gameUid, buildUid)
  if (jam === undefined) return
  const what = buildUid === null ? 'This listing has' : 'This build is'
  throw new AppError('taken', {
    message: `${what} the version that people play in the jam “${jam}”. Take the entry out of the jam first, in the tab Jams of the studio; then delete it.`,
  })
}
