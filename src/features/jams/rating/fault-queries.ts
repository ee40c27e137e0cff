import { and, eq, lt, sql } from 'drizzle-orm'

import { type Transaction, unnest } from '../../../db/client.ts'
import { LOCKS } from '../../../db/locks/locks.ts'
import { gameAdmins } from '../../../db/schema/games/game-pages.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamEntries, jamRatings } from '../../../db/schema/jams.ts'
import type { VoteFault } from '../../../domain/jams.ts'
import { YOUNG_ACCOUNT_DAYS } from '../../../domain/jams/vote-faults.ts'

const voteColumns = {
  uid: jamRatings.uid,
  entryUid: jamRatings.entryUid,
  voterUid: jamRatings.userUid,
  networkHash: jamRatings.networkHash,
  accountDays: jamRatings.accountDays,
  castAt: jamRatings.createdAt,
  fault: jamRatings.fault,
  decision: jamRatings.decision,
}

/** Owner and admins of the listing of an entry. */
const team = sql<string[]>`array(
  select ${games.ownerUid} from ${games} where ${games.uid} = ${jamEntries.gameUid}
  union all
  select ${gameAdmins.userUid} from ${gameAdmins}
  where ${gameAdmins.gameUid} = ${jamEntries.gameUid} and ${gameAdmins.acceptedAt} is not null)`

/** Votes of young accounts of one network for one entry. */
export async function listCrowd(tx: Transaction, entryUid: string, networkHash: string) {
  return await tx
    .select(voteColumns)
    .from(jamRatings)
    .where(
      and(
        eq(jamRatings.entryUid, entryUid),
        eq(jamRatings.networkHash, networkHash),
        lt(jamRatings.accountDays, YOUNG_ACCOUNT_DAYS),
      ),
    )
}

/** Serialises what is found about the votes of one voter in a jam: two votes at once do not see each other. */
export async function lockVotes(tx: Transaction, jamUid: string, userUid: string): Promise<void> {
  await tx.execute(sql`select pg_advisory_xact_lock(${LOCKS.jamVotes}, hashtext(${`${jamUid} ${userUid}`}))`)
}

/** All votes of an account with their teams, while none of the others is known to be of a second team. */
export async function listSuspectVotes(tx: Transaction, jamUid: string, userUid: string, newUid: string) {
  return await tx
    .select({ ...voteColumns, team })
    .from(jamRatings)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamRatings.entryUid))
    .where(
      and(
        eq(jamRatings.jamUid, jamUid),
        eq(jamRatings.userUid, userUid),
        sql`not exists (select 1 from jam_ratings as known
          where known.jam_uid = ${jamUid} and known.user_uid = ${userUid} and known.uid <> ${newUid}
            and known.decision is null and known.fault is distinct from 'one_team')`,
      ),
    )
}

export async function listVotes(tx: Transaction, jamUid: string) {
  return await tx
    .select(voteColumns)
    .from(jamRatings)
    .where(eq(jamRatings.jamUid, jamUid))
    .orderBy(jamRatings.uid)
}

export async function listTeams(tx: Transaction, jamUid: string) {
  return await tx
    .select({ entryUid: jamEntries.uid, team })
    .from(jamEntries)
    .where(eq(jamEntries.jamUid, jamUid))
}

/** When the accounts of all voters were made. */
export async function listVoterAges(tx: Transaction, jamUid: string) {
  return await tx.execute<{ userUid: string; createdAt: Date | string }>(sql`
    select voter.id as "userUid", voter.created_at as "createdAt" from users as voter
    where voter.id in (select user_uid from jam_ratings where jam_uid = ${jamUid})`)
}

/** Sorted, so that transactions that change the same votes wait for each other in one order. */
export async function setFaults(
  tx: Transaction,
  faults: ReadonlyMap<string, VoteFault | null>,
): Promise<void> {
  if (faults.size === 0) return
  const rows = [...faults]
    .map(([uid, fault]) => ({ uid, fault }))
    .toSorted((one, other) => (one.uid < other.uid ? -1 : 1))
  await tx.execute(sql`
    with given as (select * from ${unnest(rows, { uid: 'uuid', fault: 'text' })} as given (uid, fault)),
    held as (
      select rating.uid from jam_ratings as rating where rating.uid in (select uid from given)
      order by rating.uid for no key update
    )
    update jam_ratings as rating set fault = given.fault
    from given join held using (uid) where rating.uid = given.uid and rating.decision is null`)
}
