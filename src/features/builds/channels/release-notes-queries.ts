import { and, eq, sql } from 'drizzle-orm'

import type { Transaction } from '../../../db/client.ts'
import { channelMoves } from '../../../db/schema/channels.ts'
import { changelogEntries, releaseNotes } from '../../../db/schema/games/game-pages.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { createUid } from '../../../lib/ids.ts'

type Notes = Pick<typeof changelogEntries.$inferSelect, 'gameUid' | 'title' | 'body' | 'items'> & {
  version: string
}

export async function wasStable(tx: Transaction, buildUid: string): Promise<boolean> {
  const isTo = and(eq(channelMoves.toBuildUid, buildUid), eq(channelMoves.channel, STABLE))
  return (await tx.$count(channelMoves, isTo)) > 0
}

/** Does nothing for a version that has written its entry. */
export async function insertNotes(
  tx: Transaction,
  { gameUid, version, title, body, items }: Notes,
): Promise<void> {
  await tx.execute(sql`
    with written as (
      insert into ${releaseNotes} (game_uid, version, entry_uid)
      values (${gameUid}, ${version}, ${createUid()})
      on conflict do nothing returning entry_uid
    )
    insert into ${changelogEntries} (uid, game_uid, title, body, version, items)
    select entry_uid, ${gameUid}::uuid, ${title}, ${body}, ${version}, ${JSON.stringify(items)}::text::jsonb from written`)
}
