import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { tagSuggestions } from '../../../../src/db/schema/games/game-relations.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { listShownTags, listShownTagsOf } from '../../../../src/features/community/tags/service.ts'
import { GAME_CHANGED } from '../../../../src/features/games/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { traceQueries } from '../../../../src/lib/tracing/tracing.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import {
  insertAdmin,
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const CROWD = 12

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person
let crowd: string[]
beforeAll(async () => {
  owner = await signUp(server)
  crowd = await insertCrowd()
})

interface SuggestedTag {
  tag: string
  votes: number
  hidden: boolean
  shown: boolean
}

const pathOf = (ref: string, tag = '') =>
  `/api/v1/private/games/${ref}/community-tags${tag === '' ? '' : `/${encodeURIComponent(tag)}`}`
const hide = (person: Person, ref: string, tag: string, hidden: unknown = true) =>
  person.json('PUT', pathOf(ref, tag), { hidden })
const list = async (ref: string, query = '') =>
  await readData<{ items: SuggestedTag[]; total: number }>(await owner.fetch(pathOf(ref) + query))
const shownTags = async (uid: string) => (await listShownTags(server.deps.db, { uid })).map(({ tag }) => tag)

async function insertCrowd(): Promise<string[]> {
  const people = Array.from({ length: CROWD }, () => {
    const id = createUid()
    return { id, name: 'Voter', email: `${id}@example.org`, username: `voter-${id.slice(-8)}` }
  })
  await server.deps.db.insert(users).values(people)
  return people.map(({ id }) => id)
}

async function vote(gameUid: string, votes: Record<string, number>): Promise<void> {
  const rows = Object.entries(votes).flatMap(([tag, count]) =>
    crowd.slice(0, count).map((userUid) => ({ gameUid, userUid, tag })),
  )
  await server.deps.db.insert(tagSuggestions).values(rows)
}

/** `tag-a` to as many as asked for, each with three votes. */
function manyTags(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`tag-${'abcdefghijkl'[index]}`, 3]))
}

describe('at most 10 tags are shown, most suggested first', () => {
  test('ten of ten, ten of eleven, ties in the order of the alphabet', async () => {
    const game = await insertPublicGame(server, owner)
    await vote(game.uid, manyTags(10))
    expect(await shownTags(game.uid)).toEqual(Object.keys(manyTags(10)))
    await vote(game.uid, { 'tag-z': 4 })
    expect(await shownTags(game.uid)).toEqual(['tag-z', ...Object.keys(manyTags(9))])
  })

  test("neither hidden tags nor the developer's own take a place", async () => {
    const game = await insertPublicGame(server, owner, { tags: ['own-tag', 'b', 'c'] })
    await vote(game.uid, { 'own-tag': 12, 'hidden-tag': 11, ...manyTags(10) })
    expect(await shownTags(game.uid)).toEqual(['hidden-tag', ...Object.keys(manyTags(9))])
    await hide(owner, game.uid, 'hidden-tag')
    expect(await shownTags(game.uid)).toEqual(Object.keys(manyTags(10)))
  })

  test("a tag the developer drops is shown as the community's", async () => {
    const game = await insertPublicGame(server, owner, { tags: ['sea', 'b', 'c'] })
    await vote(game.uid, { sea: 3 })
    expect(await shownTags(game.uid)).toEqual([])
    await server.deps.db
      .update(games)
      .set({ tags: ['a', 'b', 'c'] })
      .where(eq(games.uid, game.uid))
    expect(await shownTags(game.uid)).toEqual(['sea'])
  })

  test('of many listings by one query', async () => {
    const [one, two, none] = [
      await insertPublicGame(server, owner),
      await insertPublicGame(server, owner),
      await insertPublicGame(server, owner),
    ]
    await vote(one.uid, { sea: 3, fog: 5, few: 2 })
    await vote(two.uid, manyTags(12))
    let queries = 0
    traceQueries(server.deps.db, {
      startQuery: () => {
        queries += 1
        return () => undefined
      },
    })
    const shown = await listShownTagsOf(server.deps.db, [one.uid, two.uid, none.uid])
    expect(queries).toBe(1)
    expect(shown.get(one.uid)).toEqual([
      { tag: 'fog', votes: 5 },
      { tag: 'sea', votes: 3 },
    ])
    expect(shown.get(two.uid)?.map(({ tag }) => tag)).toEqual(Object.keys(manyTags(10)))
    expect(shown.get(none.uid) ?? []).toEqual([])
    expect(await listShownTagsOf(server.deps.db, [])).toEqual(new Map())
  })
})

describe('the developer may hide any suggested tag and show it again', () => {
  test('hiding keeps votes', async () => {
    const game = await insertPublicGame(server, owner)
    await vote(game.uid, { 'open-world': 4 })
    const hidden = { tag: 'open-world', votes: 4, hidden: true, shown: false }
    for (const name of ['open-world', 'Open World', 'open_world']) {
      const answer = await hide(owner, game.vanityName, name)
      expect(answer.status).toBe(200)
      expect(await readData<SuggestedTag>(answer)).toEqual(hidden)
    }
    expect(await shownTags(game.uid)).toEqual([])
    const back = { tag: 'open-world', votes: 4, hidden: false, shown: true }
    for (let turn = 0; turn < 2; turn += 1) {
      expect(await readData<SuggestedTag>(await hide(owner, game.uid, 'open-world', false))).toEqual(back)
    }
    expect(await shownTags(game.uid)).toEqual(['open-world'])
  })

  test('also one with too few votes, before it is ever shown', async () => {
    const game = await insertPublicGame(server, owner)
    await vote(game.uid, { rude: 1 })
    expect(await readData<SuggestedTag>(await hide(owner, game.uid, 'rude'))).toMatchObject({ votes: 1 })
    await server.deps.db
      .insert(tagSuggestions)
      .values(crowd.slice(1, 5).map((userUid) => ({ gameUid: game.uid, userUid, tag: 'rude' })))
    expect(await shownTags(game.uid)).toEqual([])
  })

  test('stays in sight of the developer when its last vote is gone', async () => {
    const game = await insertPublicGame(server, owner)
    await vote(game.uid, { fog: 3 })
    await hide(owner, game.uid, 'fog')
    await server.deps.db.delete(tagSuggestions).where(eq(tagSuggestions.gameUid, game.uid))
    expect((await list(game.uid)).items).toEqual([{ tag: 'fog', votes: 0, hidden: true, shown: false }])
    const back = { tag: 'fog', votes: 0, hidden: false, shown: false }
    expect(await readData<SuggestedTag>(await hide(owner, game.uid, 'fog', false))).toEqual(back)
    expect(await list(game.uid)).toMatchObject({ items: [], total: 0 })
  })

  test.each(['never-said', 'no slug!'])('%p, which nobody suggested, is 404/4040', async (tag) => {
    const game = await insertPublicGame(server, owner)
    await vote(game.uid, { sea: 3 })
    expect(await readFailure(await hide(owner, game.uid, tag))).toMatchObject({ status: 404, code: 4040 })
  })

  test.each([
    ['nothing', {}],
    ['a text', { hidden: 'yes' }],
    ['an unknown field', { hidden: true, votes: 9 }],
  ])('%s in the body is 400/4000', async (_, body) => {
    const game = await insertPublicGame(server, owner)
    await vote(game.uid, { sea: 3 })
    const answer = await owner.json('PUT', pathOf(game.uid, 'sea'), body)
    expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
  })

  test('ten at once of the same tag all succeed', async () => {
    const game = await insertPublicGame(server, owner)
    await vote(game.uid, { sea: 3 })
    const answers = await Promise.all(Array.from({ length: 10 }, () => hide(owner, game.uid, 'sea')))
    expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 10 }, () => 200))
  })

  test('every suggested tag is listed with its votes, most suggested first, in pages', async () => {
    const game = await insertPublicGame(server, owner, { tags: ['sea', 'b', 'c'] })
    await vote(game.uid, { sea: 5, fog: 4, birds: 4, few: 2 })
    await hide(owner, game.uid, 'birds')
    expect(await list(game.uid, '?page_size=3')).toEqual({
      items: [
        { tag: 'sea', votes: 5, hidden: false, shown: false },
        { tag: 'birds', votes: 4, hidden: true, shown: false },
        { tag: 'fog', votes: 4, hidden: false, shown: true },
      ],
      total: 4,
      page: 1,
      page_size: 3,
    } as never)
    const second = await list(game.uid, '?page_size=3&page=2')
    expect(second.items).toEqual([{ tag: 'few', votes: 2, hidden: false, shown: false }])
  })

  test.each([
    ['public', 'admin', 200],
    ['public', 'stranger', 403],
    ['public', 'invited', 403],
    ['draft', 'admin', 200],
    ['draft', 'stranger', 404],
    ['draft', 'invited', 404],
  ] as const)('on a %s page the %s gets %i', async (visibility, who, status) => {
    const game = await insertGame(server, owner, { visibility })
    await vote(game.uid, { sea: 3 })
    const person = await signUp(server)
    if (who !== 'stranger') {
      await insertAdmin(server, game.uid, person, who === 'admin' ? 'accepted' : 'invited')
    }
    expect((await hide(person, game.uid, 'sea')).status).toBe(status)
    expect((await person.fetch(pathOf(game.uid))).status).toBe(status)
  })
})

test('every process is told of a suggestion; only the developer moves updated_at', async () => {
  const player = await signUp(server)
  const game = await insertPublicGame(server, owner, { updatedAt: new Date('2026-01-01T00:00:00.000Z') })
  await insertLicense(server, game.uid, player)
  await setPlayMinutes(server, game.uid, player, 60)
  const told: string[] = []
  const heard = Promise.withResolvers<void>()
  await server.deps.database.listen(
    GAME_CHANGED,
    (uid) => {
      if (told.push(uid) === 2) heard.resolve()
    },
    () => undefined,
  )
  const readUpdated = async () => {
    const [row] = await server.deps.db.select().from(games).where(eq(games.uid, game.uid))
    return row?.updatedAt.toISOString()
  }
  await player.json('PUT', `/api/v1/private/games/${game.uid}/tag-suggestions`, { tags: ['sea'] })
  expect(await readUpdated()).toBe('2026-01-01T00:00:00.000Z')
  await hide(owner, game.uid, 'sea')
  expect(await readUpdated()).not.toBe('2026-01-01T00:00:00.000Z')
  await heard.promise
  expect(told).toEqual([game.uid, game.uid])
})
