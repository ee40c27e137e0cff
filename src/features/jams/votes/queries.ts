import { and, desc, eq, gt, isNotNull, sql } from 'drizzle-orm'

import { type Db, one, pageOf, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { games } from '../../../db/schema/games/games.ts'
import { jamEntries, jamRatings } from '../../../db/schema/jams.ts'
import type { VoteFault } from '../../../domain/jams.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

const columns = {
  vote: jamRatings,
  voter: users.username,
  game: { uid: games.uid, vanityName: games.vanityName, name: games.name },
}

const selectVotes = (db: Db) =>
  db
    .select(columns)
    .from(jamRatings)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamRatings.entryUid))
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .leftJoin(users, eq(users.id, jamRatings.userUid))

export type VoteRow = Awaited<ReturnType<typeof selectVotes>>[number]

export interface VoteFilter {
  /** Only those that do not count. */
  isUncounted: boolean
  /** A username. */
  voter?: string | undefined
  /** The uid or the name of a listing. */
  game?: string | undefined
}

/** The newest first. */
export async function pageVotes(
  db: Db,
  jamUid: string,
  { isUncounted, voter, game }: VoteFilter,
  page: Page,
): Promise<Paged<VoteRow>> {
  const voterUid = db
    .select({ uid: users.id })
    .from(users)
    .where(eq(users.username, voter ?? ''))
  const gameUid = db
    .select({ uid: games.uid })
    .from(games)
    .where(eq(games.vanityName, game ?? ''))
  const entryUids = sql`(select ${jamEntries.uid} from ${jamEntries} where ${jamEntries.jamUid} = ${jamUid}
    and ${jamEntries.gameUid} = ${game !== undefined && isUid(game) ? sql`${game}::uuid` : sql`(${gameUid})`})`
  const which = and(
    eq(jamRatings.jamUid, jamUid),
    isUncounted ? isNotNull(jamRatings.fault) : undefined,
    voter === undefined ? undefined : sql`${jamRatings.userUid} = (${voterUid})`,
    game === undefined ? undefined : sql`${jamRatings.entryUid} in ${entryUids}`,
  )
  const ordered = selectVotes(db).where(which).orderBy(desc(jamRatings.uid))
  return await pageOf(ordered, db.$count(jamRatings, which), page)
}

export async function findVote(db: Db, jamUid: string, uid: string): Promise<VoteRow | undefined> {
  return await one(selectVotes(db).where(and(eq(jamRatings.jamUid, jamUid), eq(jamRatings.uid, uid))))
}

export async function setDecision(
  tx: Transaction,
  uid: string,
  decision: 'voided' | 'restored',
  decisionReason: string,
): Promise<void> {
  const fault: VoteFault | null = decision === 'voided' ? 'voided' : null
  await tx.update(jamRatings).set({ decision, decisionReason, fault }).where(eq(jamRatings.uid, uid))
}

/** Votes without names, in the order of their uids. */
export async function listRawVotes(db: Db, jamUid: string, after: string, limit: number) {
  return await db
    .select({
      uid: jamRatings.uid,
      game: games.name,
      gameUid: games.uid,
      scores: jamRatings.scores,
      fault: jamRatings.fault,
    })
    .from(jamRatings)
    .innerJoin(jamEntries, eq(jamEntries.uid, jamRatings.entryUid))
    .innerJoin(games, eq(games.uid, jamEntries.gameUid))
    .where(and(eq(jamRatings.jamUid, jamUid), gt(jamRatings.uid, after)))
    .orderBy(jamRatings.uid)
    .limit(limit)
}

/** How many votes there are, and how many count, by reason. */
export async function countVotes(db: Db, jamUid: string) {
  return await db
    .select({ fault: jamRatings.fault, count: sql<number>`count(*)::integer` })
    .from(jamRatings)
    .where(eq(jamRatings.jamUid, jamUid))
    .groupBy(jamRatings.fault)
}
