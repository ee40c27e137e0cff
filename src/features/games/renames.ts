import { countLasting } from '../../clients/rate-store/count-request.ts'
import type { Transaction } from '../../db/client.ts'
import { LIMITS } from '../../domain/limit-table.ts'

/** New names of an account and of its listings count together. */
export async function countRename(tx: Transaction, userUid: string): Promise<void> {
  await countLasting(tx, 'rename', userUid, `You can change names ${LIMITS.rename.max} times a day.`)
}
