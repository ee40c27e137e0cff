import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { playTimes } from '../../../../src/db/schema/games/game-players.ts'
import { tagSuggestions } from '../../../../src/db/schema/games/game-relations.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { listShownTags, listShownTagsOf } from '../../../../src/features/community/tags/service.ts'
import { GAME_CHANGED } from '../../../../src/features/games/service.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { traceQueries } from '../../../../src/lib/tracing/tracing.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import {
  type GameRow,
  insertAdmin,
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
} from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let owner: Person

describe('suggesting tags', () => {
  let players: [Person, Person, Person]
  beforeAll(async () => {
    owner = await signUp(server)
    players = [await signUp(server), await signUp(server), await signUp(server)]
  })

  interface Suggestions {
    tags: string[]
    community_tags: { tag: string; votes: number }[]
  }

  const pathOf = (ref: string) => `/api/v1/private/games/${ref}/tag-suggestions`
  const suggest = (person: Person, ref: string, tags: unknown) => person.json('PUT', pathOf(ref), { tags })
  const read = async (person: Person, ref: string) =>
    await readData<Suggestions>(await person.fetch(pathOf(ref)))

  /** A public game that all three players have played for long enough. */
  async function insertPlayedGame(values: Partial<GameRow> = {}): Promise<GameRow> {
    const game = await insertPublicGame(server, owner, values)
    for (const player of players) {
      await insertLicense(server, game.uid, player)
      await setPlayMinutes(server, game.uid, player, 60)
    }
    return game
  }

  describe('a player who owns the game and has at least one hour of play time', () => {
    test('may suggest tags, which replace the ones before; an empty list withdraws them', async () => {
      const game = await insertPlayedGame()
      const [player] = players
      expect(await read(player, game.uid)).toEqual({ tags: [], community_tags: [] })
      const first = await suggest(player, game.vanityName, ['sea', 'birds'])
      expect(first.status).toBe(200)
      expect(await readData<Suggestions>(first)).toEqual({ tags: ['birds', 'sea'], community_tags: [] })
      const second = await suggest(player, game.uid, ['sea', 'fog'])
      expect(await readData<Suggestions>(second)).toEqual({ tags: ['fog', 'sea'], community_tags: [] })
      expect((await read(player, game.uid)).tags).toEqual(['fog', 'sea'])
      expect(await readData<Suggestions>(await suggest(player, game.uid, []))).toMatchObject({ tags: [] })
      expect((await read(player, game.uid)).tags).toEqual([])
    })

    test('only with a licence: 403/4030 without', async () => {
      const game = await insertPublicGame(server, owner)
      for (const person of [players[0], owner]) {
        await setPlayMinutes(server, game.uid, person, 600)
        const failure = await readFailure(await suggest(person, game.uid, ['sea']))
        expect(failure).toMatchObject({ status: 403, code: 4030 })
        expect(failure.message).toContain('licence')
      }
    })

    test('59 minutes and 59 seconds are 403/4030, and the answer tells what is missing', async () => {
      const game = await insertPlayedGame()
      const [player] = players
      const ofPlayer = and(eq(playTimes.gameUid, game.uid), eq(playTimes.userUid, player.uid))
      await server.deps.db.update(playTimes).set({ seconds: 3599 }).where(ofPlayer)
      const failure = await readFailure(await suggest(player, game.uid, ['sea']))
      expect(failure).toMatchObject({ status: 403, code: 4030 })
      expect(failure.message).toBe('You need 60 minutes of play time to suggest tags. Play 1 more.')
      await server.deps.db.update(playTimes).set({ seconds: 3600 }).where(ofPlayer)
      expect((await suggest(player, game.uid, ['sea'])).status).toBe(200)
    })

    test('never played counts as nothing', async () => {
      const game = await insertPublicGame(server, owner)
      await insertLicense(server, game.uid, players[0])
      const failure = await readFailure(await suggest(players[0], game.uid, ['sea']))
      expect(failure).toMatchObject({ status: 403, code: 4030 })
      expect(failure.message).toContain('Play 60 more')
    })

    test.each(['draft', 'owner'] as const)('a %s page is 404/4040', async (visibility) => {
      const game = await insertGame(server, owner, { visibility })
      const [player] = players
      await insertLicense(server, game.uid, player)
      await setPlayMinutes(server, game.uid, player, 60)
      for (const answer of [await suggest(player, game.uid, ['sea']), await player.fetch(pathOf(game.uid))]) {
        expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4040 })
      }
    })
  })

  describe('suggested tags', () => {
    test.each([
      ['five', ['a', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd', 'e']],
      [
        'spaces, underscores and capitals',
        ['Open World', 'pixel_art', ' Fog '],
        ['fog', 'open-world', 'pixel-art'],
      ],
      ['six that are five after merging', ['a', 'A', 'b', 'c', 'd', 'e'], ['a', 'b', 'c', 'd', 'e']],
      ['one of 32 characters', ['x'.repeat(32)], ['x'.repeat(32)]],
    ])('%s are taken', async (_, tags, kept) => {
      const game = await insertPlayedGame()
      const answer = await suggest(players[0], game.uid, tags)
      expect(answer.status).toBe(200)
      expect((await readData<Suggestions>(answer)).tags).toEqual(kept)
    })

    test.each([
      ['six', ['a', 'b', 'c', 'd', 'e', 'f'], 'at most 5'],
      ['one of 33 characters', ['x'.repeat(33)], 'x'.repeat(33)],
      ['an empty one', ['sea', ''], '""'],
      ['punctuation', ['sea', 'rock&roll'], '"rock&roll"'],
      ['a dash at the end', ['sea-'], '"sea-"'],
      ['letters outside a-z', ['mähen'], '"mähen"'],
    ])('%s: 422/4071, naming field and value', async (_, tags, named) => {
      const game = await insertPlayedGame()
      await suggest(players[0], game.uid, ['kept'])
      const answer = await suggest(players[0], game.uid, tags)
      const body = await readJson<{ error: { code: number; message: string }; data: unknown }>(answer)
      expect([answer.status, body.error.code]).toEqual([422, 4071])
      expect(body.error.message).toMatch(/^tags(?:\[\d\])? must /)
      expect(body.error.message).toContain(named)
      expect(body.data).toMatchObject({ field: 'tags' })
      expect((await read(players[0], game.uid)).tags).toEqual(['kept'])
    })

    test.each([
      ['no list', { tags: 'sea' }],
      ['a number in the list', { tags: ['sea', 7] }],
      ['nothing', {}],
      ['an unknown field', { tags: ['sea'], mood: 'calm' }],
    ])('%s is 400/4000', async (_, body) => {
      const game = await insertPlayedGame()
      const answer = await players[0].json('PUT', pathOf(game.uid), body)
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
    })

    test('of one player are never more than five, whatever comes at once', async () => {
      const game = await insertPlayedGame()
      const [player] = players
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, turn) =>
          suggest(
            player,
            game.uid,
            ['a', 'b', 'c', 'd', 'e'].map((tag) => `${tag}${turn}`),
          ),
        ),
      )
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 200))
      expect(await server.deps.db.$count(tagSuggestions, eq(tagSuggestions.gameUid, game.uid))).toBe(5)
    })
  })

  describe('a tag is shown once 3 players suggested it', () => {
    test('not after two, after three, and no longer when one withdraws', async () => {
      const game = await insertPlayedGame()
      const [first, second, third] = players
      await suggest(first, game.uid, ['sea'])
      await suggest(first, game.uid, ['sea'])
      await suggest(second, game.uid, ['sea', 'fog'])
      expect((await read(owner, game.uid)).community_tags).toEqual([])
      const shown = [{ tag: 'sea', votes: 3 }]
      expect(await readData<Suggestions>(await suggest(third, game.uid, ['Sea']))).toEqual({
        tags: ['sea'],
        community_tags: shown,
      })
      expect((await read(owner, game.uid)).community_tags).toEqual(shown)
      await suggest(second, game.uid, ['fog'])
      expect((await read(owner, game.uid)).community_tags).toEqual([])
    })

    test('tags the developer already set are not repeated', async () => {
      const game = await insertPlayedGame({ tags: ['cozy', 'sea', 'stars'] })
      for (const player of players) await suggest(player, game.uid, ['sea', 'fog'])
      expect((await read(owner, game.uid)).community_tags).toEqual([{ tag: 'fog', votes: 3 }])
      expect((await read(players[0], game.uid)).tags).toEqual(['fog', 'sea'])
    })

    test('votes of three players at once all count', async () => {
      const game = await insertPlayedGame()
      await Promise.all(players.map((player) => suggest(player, game.uid, ['sea', 'fog'])))
      expect((await read(owner, game.uid)).community_tags).toEqual([
        { tag: 'fog', votes: 3 },
        { tag: 'sea', votes: 3 },
      ])
    })
  })

  test('TAG_MIN_PLAY_MINUTES sets how much play time is needed', async () => {
    const quick = await startTestServer({ TRUST_PROXY: '1', TAG_MIN_PLAY_MINUTES: '5' })
    try {
      const player = await signUp(quick)
      const game = await insertPublicGame(quick, await signUp(quick))
      await insertLicense(quick, game.uid, player)
      await setPlayMinutes(quick, game.uid, player, 4)
      expect((await suggest(player, game.uid, ['sea'])).status).toBe(403)
      await setPlayMinutes(quick, game.uid, player, 5)
      expect((await suggest(player, game.uid, ['sea'])).status).toBe(200)
    } finally {
      await quick.stop()
    }
  })
})

describe('showing tags', () => {
  const CROWD = 12

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
  const shownTags = async (uid: string) =>
    (await listShownTags(server.deps.db, { uid })).map(({ tag }) => tag)

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
    return Object.fromEntries(
      Array.from({ length: count }, (_, index) => [`tag-${'abcdefghijkl'[index]}`, 3]),
    )
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
})
