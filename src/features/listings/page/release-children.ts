import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { sendMail } from '../../mail/jobs.ts'
import { moveParentOutside } from './delete-queries.ts'
import { parentDeletedMail } from './mails.ts'
import type { GameRow } from './queries.ts'

/**
 * Mods, expansions and the like must have a parent. Those of a deleted listing keep its name and address as an
 * external one, and their owners are told.
 */
export async function releaseChildren(
  { config }: Pick<Deps, 'config'>,
  tx: Transaction,
  parent: GameRow,
): Promise<void> {
  const url = parent.website ?? listingUrl(config.baseUrl, parent.vanityName)
  const orphans = await moveParentOutside(tx, parent.uid, { name: parent.name, url })
  const byOwner = Map.groupBy(orphans, ({ ownerUid }) => ownerUid)
  for (const [ownerUid, children] of byOwner) {
    const [owner] = children
    if (!owner || ownerUid === parent.ownerUid) continue
    const pages = children.map(({ title, vanityName }) => ({
      title,
      url: listingUrl(config.baseUrl, vanityName),
    }))
    await enqueue(tx, sendMail, parentDeletedMail(owner, { parent: parent.name, pages }))
  }
}
