import { reviews } from '../../../src/db/schema/games/game-players.ts'
import { posts } from '../../../src/db/schema/posts.ts'
import { pictureForm } from '../files/pictures.ts'
import { signUp } from '../people.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

const GAME = '/api/v1/private/games/:uid'
const POST = `${GAME}/posts/:post_uid`

export async function insertPost({ server, game }: Setting): Promise<Params> {
  const values = { gameUid: game.uid, title: 'News', slug: crypto.randomUUID() }
  const [row] = await server.deps.db.insert(posts).values(values).returning()
  return { post_uid: row?.uid ?? '' }
}

async function insertReview({ server, game }: Setting): Promise<Params> {
  const { uid: userUid } = await signUp(server)
  const values = {
    gameUid: game.uid,
    userUid,
    rating: 4,
    text: 'Good.',
    answer: 'Thanks.',
    answeredAt: new Date(),
  }
  const [row] = await server.deps.db.insert(reviews).values(values).returning()
  return { review_uid: row?.uid ?? '' }
}

/** Posts, and answers to reviews. */
export const POST_CASES: Record<string, Case> = {
  [`GET ${GAME}/posts`]: { need: 'edit' },
  [`POST ${GAME}/posts`]: { need: 'edit', body: { title: 'News' }, allowed: 201 },
  [`GET ${POST}`]: { need: 'edit', params: insertPost },
  [`PATCH ${POST}`]: { need: 'edit', params: insertPost, body: { title: 'Other news' } },
  [`DELETE ${POST}`]: { need: 'edit', params: insertPost },
  [`PUT ${POST}/picture`]: { need: 'edit', params: insertPost, form: pictureForm },
  [`DELETE ${POST}/picture`]: { need: 'edit', params: insertPost },
  [`PUT ${GAME}/reviews/:review_uid/answer`]: {
    need: 'edit',
    params: insertReview,
    body: { text: 'Thank you.' },
  },
  [`DELETE ${GAME}/reviews/:review_uid/answer`]: { need: 'edit', params: insertReview },
}
