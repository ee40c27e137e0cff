import type { Transaction } from '../../db/client.ts'
import { LIMITS } from '../../http/access/limit-table.ts'
import { countLasting } from '../../http/access/limits.ts'

/** New names of an account and of its listings count together. */
export async function countRename(tx: Transaction, userUid: string): Promise<void> {
  await countLasting(tx, 'rename', userUid, `You can change names ${LIMITS.rename.max} times a day.`)
}
