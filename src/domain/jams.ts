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
export const JAM_TAGLINE_MAX = 140
export const JAM_TEXT_MAX = 50_000
export const JAM_THEME_MAX = 200
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
/** Seconds of play that open the rating where `must_play` is on. */
export const MUST_PLAY_SECONDS = 60
