import { beforeAll, describe, expect, test } from 'bun:test'

import { and, eq } from 'drizzle-orm'

import { playTimes } from '../../../../src/db/schema/games/game-players.ts'
import { tagSuggestions } from '../../../../src/db/schema/games/game-relations.ts'
import { readData, readFailure, readJson } from '../../../helpers/json.ts'
import {
  type GameRow,
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
