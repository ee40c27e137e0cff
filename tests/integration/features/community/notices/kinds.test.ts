import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../../src/db/schema/games/games.ts'
import { noticeEvents } from '../../../../../src/db/schema/notices.ts'
import type { Review } from '../../../../../src/features/community/reviews/model.ts'
import { announceDue } from '../../../../../src/features/jams/notices/announce.ts'
import { createBugKey, fileTicket, setReporter } from '../../../../helpers/bugs.ts'
import { insertBuild, insertFile } from '../../../../helpers/builds.ts'
import { insertJam } from '../../../../helpers/jams/jams.ts'
import { readData } from '../../../../helpers/json.ts'
import {
  type GameRow,
  insertCover,
  insertGame,
  insertLicense,
  insertPublicGame,
  verifyEmail,
} from '../../../../helpers/listings.ts'
import {
  editListing,
  followDeveloper,
  followGame,
  readNotices,
  setVisibility,
  toldTo,
} from '../../../../helpers/notices/notices.ts'
import { act, signUpOperator } from '../../../../helpers/operators.ts'
import { type Person, signUp, usernameOf } from '../../../../helpers/people.ts'
import { publishPost } from '../../../../helpers/posts.ts'
import { promote, release, rollBack } from '../../../../helpers/releases.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let player: Person

/** A listing of the owner with a new player. */
async function prepare(values: Partial<GameRow> = {}): Promise<GameRow> {
  player = await signUp(server)
  return await insertPublicGame(server, owner, { status: 'in_development', ...values })
}

describe('a release', () => {
  test('is told when a build is stable for the first time, and for each further system', async () => {
    const game = await prepare()
    await followGame(player, game)
    const build = await release(server, game.uid, {
      version: '1.0.0',
      title: 'The lamp turns',
      changelogItems: [{ title: 'A lamp', description: '' }],
    })
    await release(server, game.uid, { version: '1.0.0', os: 'windows' })
    await release(server, game.uid, { version: '1.0.0', arch: 'arm64' })
    expect(await toldTo(player)).toEqual([
      ['release', '1.0.0 for Windows'],
      ['release', '1.0.0 for Linux'],
    ])
    const [, first] = (await readNotices(player)).items
    expect(first).toEqual({
      uid: expect.any(String),
      kind: 'release',
      game: {
        uid: game.uid,
        name: game.name,
        vanity_name: game.vanityName,
        url: `${server.deps.config.baseUrl}/games/${game.vanityName}`,
      },
      developer: expect.objectContaining({ uid: owner.uid, username: await usernameOf(owner) }),
      title: '1.0.0 for Linux',
      text: 'The lamp turns',
      url: `${server.deps.config.baseUrl}/games/${game.vanityName}/changelog`,
      at: expect.any(String),
      read: false,
      count: 1,
    })
    await release(server, game.uid, { version: '1.1.0' })
    await rollBack(owner, game.uid)
    await promote(owner, game.uid, build)
    expect(await toldTo(player)).toHaveLength(3)
  })

  test('is not told of other channels, other apps, what is not clean, and before one followed', async () => {
    const game = await prepare()
    await release(server, game.uid, { version: '0.9.0' })
    await followGame(player, game)
    const beta = await release(server, game.uid, { version: '1.0.0', channel: 'beta' })
    await release(server, game.uid, { version: '1.0.0' }, 'server')
    const dirty = await insertBuild(server, game.uid, { version: '1.0.1' })
    await insertFile(server, dirty, { scan: 'infected' })
    expect((await promote(owner, game.uid, dirty)).status).toBe(409)
    expect(await toldTo(player)).toEqual([])
    expect((await promote(owner, game.uid, beta)).status).toBe(200)
    expect(await toldTo(player)).toEqual([['release', '1.0.0 for Linux']])
  })

  test('fits the systems that one follows', async () => {
    const game = await prepare()
    await followGame(player, game, { platforms: ['windows', 'macos'] })
    const silent = await signUp(server)
    await followGame(silent, game, { releases: false })
    for (const os of ['linux', 'windows', 'web'] as const) await release(server, game.uid, { os })
    expect(await toldTo(player)).toEqual([['release', '1.0.0 for Windows']])
    expect(await toldTo(silent)).toEqual([])
  })
})

describe('a wish', () => {
  test('tells a lower price, compared with the one before', async () => {
    const game = await prepare({ priceCents: 1999 })
    await followGame(player, game, { wish: true, releases: false, posts: false })
    const follower = await signUp(server)
    await followGame(follower, game)
    for (const price_cents of [2499, 999, 1499, 0]) await editListing(owner, game, { price_cents })
    expect(await toldTo(player)).toEqual([
      ['price', 'Now free'],
      ['price', 'Now $9.99'],
    ])
    expect((await readNotices(player)).items[1]?.text).toBe('It was $24.99 before.')
    expect(await toldTo(follower)).toEqual([])
  })

  test('tells once that it is out, by its status or its first build', async () => {
    const bySet = await prepare()
    const byBuild = await insertPublicGame(server, owner, { status: 'released', priceCents: 500 })
    for (const game of [bySet, byBuild]) await followGame(player, game, { wish: true, releases: false })
    await release(server, bySet.uid, { version: '0.1.0' })
    expect(await toldTo(player)).toEqual([])
    await editListing(owner, bySet, { status: 'released' })
    await editListing(owner, bySet, { status: 'in_development' })
    await editListing(owner, bySet, { status: 'released' })
    await release(server, byBuild.uid, { version: '1.0.0' })
    await release(server, byBuild.uid, { version: '1.0.0', os: 'windows' })
    await release(server, byBuild.uid, { version: '1.1.0' })
    expect(await toldTo(player)).toEqual([
      ['released', `${byBuild.name} is out`],
      ['released', `${bySet.name} is out`],
    ])
  })

  test('tells nothing of before, or of what one only follows', async () => {
    const game = await prepare({ priceCents: 1999 })
    await followGame(player, game)
    await editListing(owner, game, { price_cents: 1499 })
    await followGame(player, game, { wish: true })
    expect(await toldTo(player)).toEqual([])
    await editListing(owner, game, { price_cents: 999 })
    expect(await toldTo(player)).toEqual([['price', 'Now $9.99']])
    await followGame(player, game)
    expect(await toldTo(player)).toEqual([])
  })
})

describe('a developer', () => {
  test('is heard of by their first publications and all posts', async () => {
    const game = await prepare()
    const [all, quiet] = [player, await signUp(server)]
    await followDeveloper(all, owner)
    await followDeveloper(quiet, owner, { new_games: false, posts: false })
    const draft = await insertGame(server, owner, { name: 'Brand New' })
    await insertCover(server, draft.uid)
    await setVisibility(owner, draft, 'invisible')
    expect(await toldTo(all)).toEqual([])
    await setVisibility(owner, draft, 'public')
    await setVisibility(owner, draft, 'draft')
    await setVisibility(owner, draft, 'public')
    await publishPost(owner, game, { title: 'A post' })
    await release(server, game.uid)
    expect(await toldTo(all)).toEqual([
      ['post', 'A post'],
      ['new_game', 'Brand New'],
    ])
    expect(await toldTo(quiet)).toEqual([])
  })

  test('and their game tell one post once, also without posts of one of them', async () => {
    const game = await prepare()
    await followDeveloper(player, owner)
    await followGame(player, game)
    await publishPost(owner, game, { title: 'Once' })
    await publishPost(owner, game, { title: 'Silent', send_to_followers: false })
    expect(await toldTo(player)).toEqual([['post', 'Once']])
    await followGame(player, game, { posts: false })
    expect(await toldTo(player)).toEqual([['post', 'Once']])
    await followDeveloper(player, owner, { posts: false })
    expect(await toldTo(player)).toEqual([])
  })
})

test('a jam tells who joined, from then on', async () => {
  const [early, late] = [await signUp(server), await signUp(server)]
  const jam = await insertJam(server, { state: 'running' })
  const join = (person: Person) => person.json('POST', `/api/v1/private/jams/${jam.slug}/join`, {})
  expect((await join(early)).status).toBe(200)
  expect(await readNotices(early)).toMatchObject({ unread: 0 })
  await announceDue(server.deps, new AbortController().signal)
  expect((await join(late)).status).toBe(200)
  expect(await readNotices(early)).toMatchObject({
    items: [{ kind: 'jam', title: `${jam.title} has started`, game: null, developer: null }],
    unread: 1,
  })
  expect(await toldTo(late)).toEqual([])
  expect((await early.json('POST', `/api/v1/private/jams/${jam.slug}/leave`)).status).toBe(200)
  expect(await readNotices(early)).toMatchObject({ items: [], unread: 0 })
})

describe('what concerns one person', () => {
  test('a fixed bug, until it is opened again; nobody else hears of it', async () => {
    const game = await prepare()
    await setReporter(owner, game.uid)
    const uid = await fileTicket(server, await createBugKey(player), game.uid, { message: 'It is\ndark.' })
    const change = (body: object) =>
      owner.json('PATCH', `/api/v1/private/games/${game.uid}/bugs/${uid}`, body)
    const follower = await signUp(server)
    await followGame(follower, game)
    await change({ status: 'in_progress' })
    expect(await toldTo(player)).toEqual([])
    await change({ status: 'fixed', fixed_in_version: '1.0.1' })
    await change({ status: 'fixed', note: 'Again.' })
    expect((await readNotices(player)).items).toMatchObject([
      { kind: 'bug_fixed', title: 'Fixed in 1.0.1', text: 'It is dark.', game: { uid: game.uid } },
    ])
    await change({ status: 'open' })
    expect(await toldTo(player)).toEqual([])
    await change({ status: 'fixed' })
    expect(await toldTo(player)).toEqual([['bug_fixed', 'A bug that you reported is fixed']])
    for (const other of [follower, owner]) expect(await toldTo(other)).toEqual([])
  })

  test('an answer to a review', async () => {
    const game = await prepare()
    await verifyEmail(server, player)
    await insertLicense(server, game.uid, player)
    const path = `/api/v1/private/games/${game.uid}`
    const review = await readData<Review>(
      await player.json('PUT', `${path}/review`, { rating: 4, text: 'Warm.' }),
    )
    await owner.json('PUT', `${path}/reviews/${review.uid}/answer`, { text: 'Thank you!' })
    expect(await toldTo(player)).toEqual([['review_answer', game.name]])
    expect((await readNotices(player)).items[0]?.url).toEndWith(`/reviews#review-${review.uid}`)
  })

  test('what operators did to their listing, also while it is hidden', async () => {
    const operator = await signUpOperator(server)
    const game = await prepare()
    await followGame(player, game)
    await release(server, game.uid)
    const maker = await signUp(server)
    await verifyEmail(server, maker)
    await server.deps.db.update(games).set({ ownerUid: maker.uid }).where(eq(games.uid, game.uid))
    await act(operator, `listings/${game.uid}/take-down`, { reason: 'Not yours.' })
    expect(await toldTo(maker)).toEqual([['operator', 'Taken down']])
    expect((await readNotices(maker)).items[0]?.text).toBe('Not yours.')
    expect(await toldTo(player)).toEqual([])
    await act(operator, `listings/${game.uid}/restore`, {})
    expect(await toldTo(maker)).toEqual([
      ['operator', 'Restored'],
      ['operator', 'Taken down'],
    ])
    expect(await toldTo(player)).toEqual([['release', '1.0.0 for Linux']])
  })

  test('a publication that was approved or declined', async () => {
    const operator = await signUpOperator(server)
    const maker = await signUp(server)
    await verifyEmail(server, maker)
    const pendingPublication = { at: new Date().toISOString(), visibility: 'public' } as const
    const declined = await insertGame(server, maker, { pendingPublication })
    const approved = await insertGame(server, maker, { pendingPublication })
    await insertCover(server, approved.uid)
    expect((await act(operator, `queue/${declined.uid}/decline`, { reason: 'Too dark.' })).status).toBe(200)
    expect((await act(operator, `queue/${approved.uid}/approve`)).status).toBe(200)
    expect(await toldTo(maker)).toEqual([
      ['operator', 'Published'],
      ['operator', 'Not published'],
    ])
    const told = await server.deps.db
      .select()
      .from(noticeEvents)
      .where(eq(noticeEvents.gameUid, approved.uid))
    expect(told.map(({ kind }) => kind).toSorted()).toEqual(['new_game', 'operator'])
  })
})
