import { t } from 'elysia'

import { VOTE_FAULTS } from '../../../domain/jams.ts'
import { Joined, Moment, OneOf, PageQuery, Uid } from '../../../http/input/schema.ts'
import { Stars } from '../rating/model.ts'

export const Vote = t.Object(
  {
    uid: Uid,
    game: t.Object({ uid: Uid, vanity_name: t.String(), name: t.String() }),
    voter: t.Nullable(t.String(), { description: 'A username; null once the account is deleted.' }),
    scores: t.Record(t.String(), Stars),
    comment: t.String(),
    counts: t.Boolean(),
    fault: t.Nullable(OneOf(VOTE_FAULTS), { description: 'Why it does not count.' }),
    decision: t.Nullable(OneOf(['voided', 'restored']), { description: 'What a host decided.' }),
    reason: t.Nullable(t.String({ description: "The host's reason." })),
    created_at: Moment,
    updated_at: Moment,
  },
  { $id: 'JamVote' },
)
export type Vote = typeof Vote.static

export const VotesQuery = Joined([
  PageQuery,
  t.Object({
    show: t.Optional(t.String({ description: '`uncounted`: those that do not count; all by default.' })),
    voter: t.Optional(t.String({ description: 'Only of this username.' })),
    game: t.Optional(t.String({ description: 'Only for this listing, by uid or name.' })),
  }),
])
