import { t } from 'elysia'

import { Integer } from '../../../src/http/input/schema.ts'

export const Score = t.Object(
  {
    game: t.String({ minLength: 1, maxLength: 64 }),
    level: Integer({ minimum: 1, maximum: 999 }),
    points: t.Number({ minimum: 0 }),
    finished: t.Boolean(),
    tags: t.Array(t.String({ maxLength: 32 }), { maxItems: 8 }),
  },
  { additionalProperties: false },
)
export type Score = typeof Score.static

export const ScoreView = t.Object({
  game: t.String(),
  level: Integer(),
  points: t.Number(),
  finished: t.Boolean(),
  tags: t.Array(t.String()),
  player: t.Nullable(t.String()),
})
export type ScoreView = typeof ScoreView.static

export const SAMPLE: Score = {
  game: 'lantern-keeper',
  level: 12,
  points: 48_250.5,
  finished: true,
  tags: ['no-damage', 'speedrun'],
}

export const TOP_SCORE: ScoreView = describeScore(SAMPLE, null)

export function describeScore(
  { game, level, points, finished, tags }: Score,
  player: string | null,
): ScoreView {
  return { game, level, points, finished, tags, player }
}
