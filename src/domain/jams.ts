import { MINUTE_MS } from '../lib/time.ts'

export const JAM_VISIBILITIES = ['draft', 'unlisted', 'public'] as const
export type JamVisibility = (typeof JAM_VISIBILITIES)[number]

/** Who may enter: everybody, or who has a code. */
export const JAM_ENTRIES = ['open', 'invited'] as const
export type JamEntry = (typeof JAM_ENTRIES)[number]

/** Who rates: owners and admins of entries, everyone with an account, or the named judges. */
export const JAM_VOTERS = ['entrants', 'everyone', 'judges'] as const
export type JamVoters = (typeof JAM_VOTERS)[number]

/** Where a jam stands, by the clock of the database. */
export const JAM_STATES = ['coming', 'running', 'voting', 'past'] as const
export type JamState = (typeof JAM_STATES)[number]

/** Who may make a jam. */
export const JAM_MAKERS = ['operators', 'developers', 'off'] as const
export type JamMakers = (typeof JAM_MAKERS)[number]

export const JAM_ROLES = ['host', 'judge'] as const
export type JamRole = (typeof JAM_ROLES)[number]

/** Why a vote does not count. */
export const VOTE_FAULTS = ['one_team', 'too_young', 'burst', 'voided'] as const
export type VoteFault = (typeof VOTE_FAULTS)[number]

export interface Criterion {
  name: string
  text: string
  /** Decides the overall rank; at most one. */
  primary: boolean
}

/** A prize that the hosts wrote beside an entry. */
export interface Prize {
  title: string
  text: string
}

export const JAM_TITLE_MAX = 80
export const JAM_SLUG_MAX = 60
export const JAM_TAGLINE_MAX = 140
export const JAM_TEXT_MAX = 50_000
export const JAM_THEME_MAX = 200
export const JAM_HOSTS_MAX = 20
export const JAM_JUDGES_MAX = 50
/** The newest ones. */
export const JAMS_IN_SITEMAP = 1_000
/** Jams that are not over, of one host. */
export const JAMS_PER_HOST_MAX = 50
/** What the page of a jam shows of its changes, the newest ones. */
export const JAM_CHANGES_SHOWN = 100
export const JAM_CODES_MAX = 1_000
export const JAM_CODE_LABEL_MAX = 80
export const JAM_CODE_USES_MAX = 10_000
export const JAM_CODE_DAYS_MAX = 366
/** Of one jam, that still work. */
export const LATE_LINKS_MAX = 100
export const LATE_LINK_DAYS_MAX = 14
export const JAM_DAYS_MAX = 90
export const VOTING_DAYS_MAX = 60
/** The shortest time for entering, and for voting. */
export const JAM_HOURS_MIN = 1
export const GRACE_MINUTES_MAX = 120
export const ENTRIES_PER_PERSON_MAX = 5
export const CRITERIA_MAX = 8
export const CRITERION_NAME_MAX = 40
export const CRITERION_TEXT_MAX = 200
export const STARS_MAX = 5
export const MIN_RATINGS_DEFAULT = 5
export const MIN_RATINGS_MAX = 20
export const NOTE_MAX = 1_000
export const COMMENT_MAX = 2_000
export const PRIZE_TITLE_MAX = 80
export const PRIZE_TEXT_MAX = 1_000
/** Of one entry. */
export const JAM_PRIZES_MAX = 10
/** Seconds of play that open the rating where `must_play` is on. */
export const MUST_PLAY_SECONDS = 60

/** Addresses below `/jams/` that are pages of their own. */
export const RESERVED_JAM_SLUGS: ReadonlySet<string> = new Set(
  'new feed mine calendar entries rate results manage'.split(' '),
)

export interface JamTimes {
  startsAt: Date
  endsAt: Date
  votingEndsAt: Date | null
  graceMinutes: number
}

/** `now` is the clock of the database. A jam without voting is past once it ends. */
export function computeState({ startsAt, endsAt, votingEndsAt }: JamTimes, now: Date): JamState {
  if (now < startsAt) return 'coming'
  if (now < endsAt) return 'running'
  return votingEndsAt && now < votingEndsAt ? 'voting' : 'past'
}

/** What people do with a jam at certain times only. */
export type JamAct = 'edit' | 'join' | 'submit' | 'rate' | 'see_results'

/** Null: from the beginning, or without an end; both null: never. */
export interface JamOpening {
  opensAt: Date | null
  closesAt: Date | null
}

/** Voting opens when the builds are pinned: at the end plus the grace, for uploads that were running then. */
export function computeOpening(times: JamTimes, act: JamAct): JamOpening {
  const { startsAt, endsAt, votingEndsAt } = times
  if (act === 'edit') return { opensAt: null, closesAt: startsAt }
  if (act === 'submit') return { opensAt: startsAt, closesAt: endsAt }
  if (act === 'join') return { opensAt: null, closesAt: votingEndsAt ?? endsAt }
  if (act === 'see_results') return { opensAt: votingEndsAt, closesAt: null }
  return { opensAt: votingEndsAt && computeGraceEnd(times), closesAt: votingEndsAt }
}

export function computeGraceEnd({ endsAt, graceMinutes }: JamTimes): Date {
  return new Date(endsAt.getTime() + graceMinutes * MINUTE_MS)
}

export function isOpenFor(times: JamTimes, act: JamAct, now: Date): boolean {
  const { opensAt, closesAt } = computeOpening(times, act)
  if (!opensAt && !closesAt) return false
  return (!opensAt || now >= opensAt) && (!closesAt || now < closesAt)
}
