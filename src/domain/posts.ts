export const POST_KINDS = ['news', 'update', 'event'] as const
export type PostKind = (typeof POST_KINDS)[number]

export const POST_STATES = ['draft', 'scheduled', 'published'] as const
export type PostState = (typeof POST_STATES)[number]

export const POST_TITLE_MAX = 120
export const POST_TEXT_MAX = 20_000
/** How many posts of a listing can be published within a day. */
export const POSTS_PER_DAY = 20
/** Drafts and scheduled posts of a listing together. */
export const UNPUBLISHED_MAX = 200
export const SCHEDULE_DAYS_MAX = 366
