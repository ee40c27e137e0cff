import { sql } from 'drizzle-orm'

import type { Transaction } from '../../../db/client.ts'
import { games } from '../../../db/schema/games/games.ts'
import { searchChanges } from '../../../db/schema/search.ts'
import { OPEN_VISIBILITIES } from '../../../domain/listings/visibility.ts'

/** One statement, however many pages there are: all of them are hidden when it commits. */
export async function hideAdult(tx: Transaction, reason: string): Promise<void> {
  await tx.execute(sql`
    with hidden as (
      update ${games} set visibility = 'owner', taken_down = jsonb_build_object(
        'at', ${new Date().toISOString()}::text, 'reason', ${reason}::text, 'visibility', visibility,
        'policy', 'adult_content')
      where adult and taken_down is null and visibility = any(${sql.param([...OPEN_VISIBILITIES])}::text[])
      returning uid)
    insert into ${searchChanges} (game_uid) select uid from hidden`)
}

export async function showAdult(tx: Transaction): Promise<void> {
  await tx.execute(sql`
    with shown as (
      update ${games} set visibility = taken_down ->> 'visibility', taken_down = null
      where taken_down ->> 'policy' = 'adult_content'
      returning uid)
    insert into ${searchChanges} (game_uid) select uid from shown`)
}
