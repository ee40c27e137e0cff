import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { noticeEvents } from '../../../../src/db/schema/notices.ts'
import type { Answer, Review, ReviewPage } from '../../../../src/features/community/reviews/model.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertLicense,
  insertPublicGame,
  verifyEmail,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
const admin = usePerson(server)
const player = usePerson(server)
let game: GameRow
beforeAll(async () => {
  await verifyEmail(server, player)
})

const GAMES = '/api/v1/private/games'
const pathOf = (uid: string) => `${GAMES}/${game.uid}/reviews/${uid}/answer`
const answer = (person: Person, uid: string, text: unknown = 'Thank you!') =>
  person.json('PUT', pathOf(uid), { text })

/** A review of a new listing. */
async function review(): Promise<Review> {
  game = await insertPublicGame(server, owner)
  await insertAdmin(server, game.uid, admin, 'accepted')
  await insertLicense(server, game.uid, player)
  const sent = await player.json('PUT', `${GAMES}/${game.uid}/review`, { rating: 4, text: 'Warm.' })
  return await readData<Review>(sent)
}

async function readShown(): Promise<Review['answer'] | undefined> {
  const shown = await server.fetch(`/api/v1/public/games/${game.uid}/reviews`)
  return (await readData<ReviewPage>(shown)).items[0]?.answer
}

const listNotices = () => server.deps.db.select().from(noticeEvents).where(eq(noticeEvents.gameUid, game.uid))

describe('an answer to a review', () => {
  test('is written by the owner, changed by an admin, shown to everyone and deleted', async () => {
    const { uid, answer: none } = await review()
    expect(none).toBeNull()
    const made = await answer(owner, uid, '  Thank you!\nMore to come. ')
    expect(made.status).toBe(201)
    const first = await readData<Answer>(made)
    expect(first).toMatchObject({ text: 'Thank you!\nMore to come.' })
    expect(await readShown()).toEqual(first)

    const changed = await answer(admin, uid, 'Changed.')
    expect(changed.status).toBe(200)
    const second = await readData<Answer>(changed)
    expect(second).toMatchObject({ text: 'Changed.', created_at: first.created_at })

    expect((await owner.json('DELETE', pathOf(uid))).status).toBe(200)
    expect(await readShown()).toBeNull()
    expect(await readFailure(await owner.json('DELETE', pathOf(uid)))).toMatchObject({ status: 404 })
  })

  test('is told to the writer of the review once', async () => {
    const { uid } = await review()
    await answer(owner, uid)
    await answer(owner, uid, 'Changed.')
    await owner.json('DELETE', pathOf(uid))
    await answer(owner, uid, 'Written anew.')
    const notices = await listNotices()
    expect(notices).toHaveLength(1)
    expect(notices[0]).toMatchObject({
      kind: 'review_answer',
      userUid: player.uid,
      facts: { title: game.name, text: 'Thank you!', path: expect.stringContaining(`#review-${uid}`) },
    })
  })

  test('is told once if several write it at once', async () => {
    const { uid } = await review()
    const answers = await Promise.all([1, 2, 3, 4].map(() => answer(owner, uid)))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(await listNotices()).toHaveLength(1)
  })

  test('stays when the review is changed, and goes with it', async () => {
    const { uid } = await review()
    await answer(owner, uid)
    await player.json('PUT', `${GAMES}/${game.uid}/review`, { rating: 2, text: 'Cold.' })
    expect(await readShown()).toMatchObject({ text: 'Thank you!' })
    await player.json('DELETE', `${GAMES}/${game.uid}/review`)
    expect(await readShown()).toBeUndefined()
    expect((await answer(owner, uid)).status).toBe(404)
  })

  test('belongs to a review of this listing', async () => {
    const { uid } = await review()
    await review()
    expect((await answer(owner, uid)).status).toBe(404)
    expect((await answer(owner, 'x')).status).toBe(404)
  })

  test.each([
    ['no text', undefined],
    ['spaces', '  \n '],
    ['2,001 characters', 'x'.repeat(2001)],
    ['a number', 4],
  ])('with %s is 400/4000', async (_, text) => {
    const { uid } = await review()
    const sent = await owner.json('PUT', pathOf(uid), { text })
    expect(await readFailure(sent)).toMatchObject({ status: 400, code: 4000 })
  })

  test('is not written by the player or by strangers', async () => {
    const { uid } = await review()
    expect((await answer(player, uid)).status).toBe(403)
    expect((await answer(await signUp(server), uid)).status).toBe(403)
  })
})
