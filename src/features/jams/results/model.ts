import { t } from 'elysia'

import { JAM_PRIZES_MAX, PRIZE_TEXT_MAX, PRIZE_TITLE_MAX } from '../../../domain/jams.ts'
import { Integer, Joined, Moment, Paged, PageQuery, Strict, Uid } from '../../../http/input/schema.ts'
import { personFields } from '../../accounts/profile/model.ts'

export const REASON_MAX = 500

export const ReasonInput = Strict({
  reason: t.String({
    minLength: 1,
    maxLength: REASON_MAX,
    pattern: '\\S',
    error: `must have 1 to ${REASON_MAX} characters`,
  }),
})
export type ReasonInput = typeof ReasonInput.static

export const Prize = Strict({
  title: t.String({
    minLength: 1,
    maxLength: PRIZE_TITLE_MAX,
    pattern: '\\S',
    error: `must have 1 to ${PRIZE_TITLE_MAX} characters`,
  }),
  text: t.String({ maxLength: PRIZE_TEXT_MAX }),
})

export const PrizesInput = Strict({
  prizes: t.Array(Prize, { maxItems: JAM_PRIZES_MAX, description: 'All prizes of the entry.' }),
})
export type PrizesInput = typeof PrizesInput.static

export const RankedGame = t.Object({
  uid: Uid,
  vanity_name: t.String({ examples: ['lantern-keeper'] }),
  name: t.String({ examples: ['Lantern Keeper'] }),
  url: t.Nullable(t.String({ format: 'uri', description: 'Null while its page is not open.' })),
  cover: t.Nullable(t.String({ format: 'uri' })),
  developer: t.String({ description: 'As the developer is shown.' }),
  adult: t.Boolean(),
})

const Score = t.Nullable(t.Number({ examples: [4.25] }))
const Rank = t.Nullable(Integer({ minimum: 1 }))

export const ResultItem = t.Object({
  game: RankedGame,
  rank: t.Nullable(Integer({ minimum: 1, description: 'Ties share one; null: played, not ranked.' })),
  ratings: Integer({ minimum: 0, description: 'Ratings that count.' }),
  score: Score,
  adjusted: Score,
  criteria: t.Record(t.String(), t.Object({ mean: Score, adjusted: Score, rank: Rank })),
  disqualified: t.Nullable(t.String({ description: 'The reason.' })),
  prizes: t.Array(Prize),
})
export type ResultItem = typeof ResultItem.static

export const Results = Joined(
  [
    Paged(ResultItem),
    t.Object({
      m: t.Number({ description: 'The median number of counted ratings that scores are adjusted by.' }),
      computed_at: Moment,
      published_at: t.Nullable(Moment, { description: 'Null while only hosts see them.' }),
    }),
  ],
  { $id: 'JamResults' },
)
export type Results = typeof Results.static

export const ResultsQuery = Joined([
  PageQuery,
  t.Object({
    criterion: t.Optional(t.String({ description: 'Ordered by this criterion; by the whole by default.' })),
  }),
])

export const JamComment = t.Object(
  {
    uid: Uid,
    text: t.String({ description: 'Plain text.' }),
    person: t.Nullable(t.Object(personFields), {
      description: 'Null for comments to the developer alone, and of deleted accounts.',
    }),
    public: t.Boolean(),
    created_at: Moment,
  },
  { $id: 'JamComment' },
)
export type JamComment = typeof JamComment.static

export const ResultsState = t.Object(
  {
    held: t.Boolean(),
    computed_at: t.Nullable(Moment),
    published_at: t.Nullable(Moment),
  },
  { $id: 'JamResultsState' },
)
export type ResultsState = typeof ResultsState.static
