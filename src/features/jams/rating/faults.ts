import type { Transaction } from '../../../db/client.ts'
import type { VoteFault } from '../../../domain/jams.ts'
import { isTooYoung } from '../../../domain/jams/rating.ts'
import {
  findBursts,
  findChangedFaults,
  findOneTeamVoters,
  YOUNG_ACCOUNT_DAYS,
} from '../../../domain/jams/vote-faults.ts'
import type { JamRow } from '../access.ts'
import * as queries from './fault-queries.ts'
import type { RatingRow } from './queries.ts'

/**
 * What a new vote says about those of the same voter, and of the same network. Found at once, so that deleting the
 * account afterwards hides nothing; the results look at all votes again.
 */
export async function updateFaults(tx: Transaction, vote: RatingRow): Promise<void> {
  const { userUid, jamUid, entryUid, networkHash, accountDays } = vote
  if (userUid === null) return
  const found = new Map<string, VoteFault | null>()
  if (networkHash !== null && accountDays < YOUNG_ACCOUNT_DAYS) {
    const crowd = await queries.listCrowd(tx, entryUid, networkHash)
    const bursts = findBursts(crowd)
    for (const { uid, fault, decision } of crowd)
      if (decision === null && fault === null && bursts.has(uid)) found.set(uid, 'burst')
  }
  await queries.lockVotes(tx, jamUid, userUid)
  const own = await queries.listSuspectVotes(tx, jamUid, userUid, vote.uid)
  const isOneTeam = findOneTeamVoters(own, teamsOf(own)).has(userUid)
  for (const { uid, fault, decision } of own) {
    if (decision !== null) continue
    if (isOneTeam && (fault ?? found.get(uid) ?? null) !== 'one_team') found.set(uid, 'one_team')
    if (!isOneTeam && fault === 'one_team') found.set(uid, null)
  }
  await queries.setFaults(tx, found)
}

function teamsOf(entries: readonly { entryUid: string; team: readonly string[] }[]) {
  const teams = new Map(entries.map(({ entryUid, team }) => [entryUid, team]))
  return { teamOf: (entryUid: string) => teams.get(entryUid) ?? [] }
}

/** Looks at all votes once more: teams, and the end of the jam, may have changed since they were cast. */
export async function markFaults(tx: Transaction, jam: JamRow): Promise<void> {
  const votes = await queries.listVotes(tx, jam.uid)
  const teams = teamsOf(await queries.listTeams(tx, jam.uid))
  const young = new Set<string>()
  if (jam.voters === 'everyone') {
    for (const { userUid, createdAt } of await queries.listVoterAges(tx, jam.uid))
      if (isTooYoung({ createdAt: new Date(createdAt) }, jam.endsAt)) young.add(userUid)
  }
  const isYoung = (voterUid: string) => young.has(voterUid)
  await queries.setFaults(tx, findChangedFaults(votes, { ...teams, isTooYoung: isYoung }))
}
