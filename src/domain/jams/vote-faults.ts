import type { VoteFault } from '../jams.ts'

/** An account is young for so many days after it was made. */
export const YOUNG_ACCOUNT_DAYS = 7
/** So many young accounts of one network may rate an entry within an hour. */
export const BURST_ACCOUNTS_MAX = 5
export const BURST_MS = 60 * 60 * 1000

export interface CastVote {
  uid: string
  entryUid: string
  /** Null once the account is deleted. */
  voterUid: string | null
  /** A keyed hash; null if it is unknown. */
  networkHash: string | null
  /** How old the account was when it rated. */
  accountDays: number
  /** When it was first cast. */
  castAt: Date
  fault: VoteFault | null
  decision: 'voided' | 'restored' | null
}

interface Facts {
  /** The uids of owner and admins. */
  teamOf(entryUid: string): readonly string[]
  isTooYoung(voterUid: string): boolean
}

/**
 * The votes whose fault is another one than before, by uid. What a host decided stays, and votes of deleted accounts keep
 * what was found while the account was there.
 */
export function findChangedFaults(votes: readonly CastVote[], facts: Facts): Map<string, VoteFault | null> {
  const oneTeam = findOneTeamVoters(votes, facts)
  const bursts = findBursts(votes)
  const found = new Map<string, VoteFault | null>()
  for (const { uid, voterUid, fault, decision } of votes) {
    if (decision !== null || voterUid === null) continue
    const isOneTeam = oneTeam.has(voterUid)
    const isYoung = facts.isTooYoung(voterUid)
    const now = isOneTeam ? 'one_team' : isYoung ? 'too_young' : bursts.has(uid) ? 'burst' : null
    if (now !== fault) found.set(uid, now)
  }
  return found
}

/** Accounts that rated only entries that one person works on. */
export function findOneTeamVoters(
  votes: readonly Pick<CastVote, 'voterUid' | 'entryUid'>[],
  { teamOf }: Pick<Facts, 'teamOf'>,
): Set<string> {
  /** Who works on all entries that the account rated. */
  const shared = new Map<string, readonly string[]>()
  for (const { voterUid, entryUid } of votes) {
    if (voterUid === null) continue
    const team = teamOf(entryUid)
    const before = shared.get(voterUid)
    shared.set(voterUid, before ? before.filter((person) => team.includes(person)) : team)
  }
  return new Set([...shared].filter(([, people]) => people.length > 0).map(([voterUid]) => voterUid))
}

/** Votes of more young accounts of one network for one entry within an hour than are believed, by uid. */
export function findBursts(
  votes: readonly Pick<CastVote, 'uid' | 'entryUid' | 'networkHash' | 'accountDays' | 'castAt'>[],
): Set<string> {
  const young = votes.filter(
    ({ accountDays, networkHash }) => networkHash !== null && accountDays < YOUNG_ACCOUNT_DAYS,
  )
  const found = new Set<string>()
  for (const same of Map.groupBy(young, (vote) => `${vote.entryUid} ${vote.networkHash}`).values()) {
    const sorted = same.toSorted((one, other) => +one.castAt - +other.castAt)
    let first = 0
    for (const [last, { castAt }] of sorted.entries()) {
      while (+castAt - +(sorted[first]?.castAt ?? castAt) > BURST_MS) first += 1
      if (last - first < BURST_ACCOUNTS_MAX) continue
      for (const { uid } of sorted.slice(first, last + 1)) found.add(uid)
    }
  }
  return found
}
