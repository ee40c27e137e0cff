import { DAY_MS } from '../../lib/time.ts'
import { type JamVoters, MUST_PLAY_SECONDS } from '../jams.ts'

/** Why somebody cannot rate an entry, as `data.reason` of the refusal. */
export const RATING_REFUSALS = [
  'withdrawn',
  'taken_down',
  'disqualified',
  'not_entrant',
  'not_judge',
  'unconfirmed',
  'too_young',
  'own_entry',
  'adult',
  'not_played',
] as const
export type RatingRefusal = (typeof RATING_REFUSALS)[number]

export const REFUSAL_TEXTS: Readonly<Record<RatingRefusal, string>> = {
  withdrawn: 'This entry was withdrawn.',
  taken_down: 'The operators of this store took this entry down.',
  disqualified: 'This entry was disqualified.',
  not_entrant: 'Only those rate here who work on an entry of this jam.',
  not_judge: 'Only the judges of this jam rate here.',
  unconfirmed: 'Confirm your e-mail address first: open the link in the mail we sent you.',
  too_young: 'Your account is too new: it must be a day older than the end of the jam.',
  own_entry: 'You work on this entry, so you cannot rate it.',
  adult: 'This entry is for adults. Turn on “Show adult content” in your account first.',
  not_played: 'Play the entry for a minute, download it or install it, then rate it.',
}

export interface VoterFacts {
  emailVerified: boolean
  createdAt: Date
  isJudge: boolean
  /** Whether the person works on an entry of the jam. */
  isEntrant: boolean
}

interface VoterRules {
  voters: JamVoters
  endsAt: Date
}

/** Why the person rates nothing in this jam; null: they may. */
export function findVoterRefusal(facts: VoterFacts, { voters, endsAt }: VoterRules): RatingRefusal | null {
  if (voters === 'judges') return facts.isJudge ? null : 'not_judge'
  if (voters === 'entrants') return facts.isEntrant ? null : 'not_entrant'
  if (!facts.emailVerified) return 'unconfirmed'
  return isTooYoung(facts, endsAt) ? 'too_young' : null
}

/** Where everyone rates, accounts count that are older than the end of the jam minus one day. */
export function isTooYoung({ createdAt }: Pick<VoterFacts, 'createdAt'>, endsAt: Date): boolean {
  return createdAt.getTime() >= endsAt.getTime() - DAY_MS
}

export interface BallotFacts {
  isWithdrawn: boolean
  isTakenDown: boolean
  isDisqualified: boolean
  isAdult: boolean
  /** Whether the voter works on it. */
  isOwn: boolean
  playedSeconds: number
  hasFetched: boolean
}

/** Why this entry cannot be rated by a voter of the jam; null: it can. */
export function findBallotRefusal(
  facts: BallotFacts,
  { mustPlay, seesAdult }: { mustPlay: boolean; seesAdult: boolean },
): RatingRefusal | null {
  if (facts.isWithdrawn) return 'withdrawn'
  if (facts.isTakenDown) return 'taken_down'
  if (facts.isDisqualified) return 'disqualified'
  if (facts.isOwn) return 'own_entry'
  if (facts.isAdult && !seesAdult) return 'adult'
  const hasPlayed = facts.hasFetched || facts.playedSeconds >= MUST_PLAY_SECONDS
  return mustPlay && !hasPlayed ? 'not_played' : null
}
