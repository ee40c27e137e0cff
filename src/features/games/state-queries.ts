import { sql } from 'drizzle-orm'

import type { Db } from '../../db/client.ts'
import { games } from '../../db/schema/games/games.ts'

/**
 * The listings that are no longer in the state given; usually none. A state is written as `stateOf` does, without the
 * uid; the empty one is that of every listing that is not public.
 */
export async function listOutdated(db: Db, uids: string[], states: string[]) {
  return await db.execute<{ uid: string; state: string }>(sql`
    select known.uid, known.state
    from unnest(${sql.param(uids)}::uuid[], ${sql.param(states)}::text[]) as known (uid, state)
    left join ${games} on games.uid = known.uid
    where case when known.state = '' then games.visibility = 'public' else
      concat_ws(' ', games.visibility, case when games.adult then 'true' else 'false' end,
        (extract(epoch from games.updated_at) * 1000)::bigint) <> known.state end`)
}
