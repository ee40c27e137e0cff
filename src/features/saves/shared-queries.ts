import { and, eq, sql } from 'drizzle-orm'

import { type Db, inserted, one, type Transaction } from '../../db/client.ts'
import { saveContents, saveRevisions, saveSets } from '../../db/schema/saves.ts'
import { EVERY_HOURS } from '../../domain/saves.ts'
import { createUid } from '../../lib/ids.ts'
import { storageLock } from '../storage/shared-queries.ts'

/** Whose saves of which game. */
export interface Owned {
  userUid: string
  gameUid: string
}

/** Without a revision the current one of the slot is meant, unless the slot is in the bin. */
export interface WantedRevision {
  /** Null for what is no name of a slot. */
  slot: string | null
  revision: string | null
}

/** What a read answers. */
export interface ReadableRevision {
  revision: string
  sha256: string
  size: number
  objectKey: string
}

/** Once what the set has now can be thinned, unless it is looked at before. */
const thinAt = sql`coalesce(${saveSets.thinAt}, now() + ${`${EVERY_HOURS} hours`}::interval)`

/**
 * Locks the set until the transaction ends, makes it if there is none, and locks the storage of the account, so that the
 * next statement reads what counts for both.
 */
export async function lockSet(tx: Db, { userUid, gameUid, name }: Owned & { name: string }): Promise<string> {
  const { uid } = await inserted(
    tx.execute<{ uid: string }>(sql`
      with locked as materialized (select ${storageLock(userUid)})
      insert into ${saveSets} (uid, user_uid, game_uid, game_name)
      select ${createUid()}::uuid, ${userUid}::uuid, ${gameUid}::uuid, ${name} from locked
      on conflict (user_uid, game_uid) do update set game_name = excluded.game_name, thin_at = ${thinAt}
      returning uid`),
  )
  return uid
}

/** The same for a set that must exist; undefined if nothing was ever kept. */
export async function lockOwnSet(tx: Transaction, { userUid, gameUid }: Owned): Promise<string | undefined> {
  const row = await one(
    tx
      .update(saveSets)
      .set({ thinAt })
      .where(and(eq(saveSets.userUid, userUid), eq(saveSets.gameUid, gameUid)))
      .returning({ uid: saveSets.uid }),
  )
  return row?.uid
}

/** Deletes what no revision of the set has any more. Returns the keys of the objects. Needs the lock of the set. */
export async function deleteUnused(tx: Transaction, setUid: string): Promise<string[]> {
  const rows = await tx
    .delete(saveContents)
    .where(
      and(
        eq(saveContents.setUid, setUid),
        sql`not exists (select 1 from ${saveRevisions} where ${saveRevisions.contentUid} = ${saveContents.uid})`,
      ),
    )
    .returning({ key: saveContents.objectKey })
  return rows.map(({ key }) => key)
}
