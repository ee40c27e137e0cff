import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { feedKeys } from '../../../../src/db/schema/follows.ts'
import { changelogEntries, releaseNotes } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { posts } from '../../../../src/db/schema/posts.ts'
import { insertBuild } from '../../../helpers/builds.ts'
import { countStatements } from '../../../helpers/catalog.ts'
import { checkAtom, type CheckedFeed, hasAtomCheck } from '../../../helpers/files/atom.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { signUpOperator } from '../../../helpers/operators.ts'
import { type Person, signUp, usernameOf } from '../../../helpers/people.ts'
import { readPage } from '../../../helpers/site/read-page.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner, { name: 'Lantern Keeper' })
})

let count = 0
/** Minutes apart, so that the order is known. */
const nextTime = () => new Date(Date.UTC(2026, 0, 1, 0, (count += 1)))

async function insertRelease(gameUid: string, title: string, body = 'It **moved**.'): Promise<string> {
  const values = { gameUid, title, body, version: '1.0', createdAt: nextTime() }
  const [row] = await server.deps.db.insert(changelogEntries).values(values).returning()
  return row?.uid ?? ''
}

async function insertPost(gameUid: string, title: string, values: Partial<typeof posts.$inferInsert> = {}) {
  const slug = `post-${crypto.randomUUID().slice(0, 8)}`
  const publishedAt = nextTime()
  const shared = { gameUid, slug, title, markdown: 'Some *news*.', state: 'published' } as const
  await server.deps.db
    .insert(posts)
    .values({ ...shared, publishedAt, createdAt: publishedAt, updatedAt: publishedAt, ...values })
}

async function feedAt(path: string): Promise<CheckedFeed> {
  const answer = await server.fetch(path)
  expect([path, answer.status]).toEqual([path, 200])
  expect(answer.headers.get('content-type')).toBe('application/atom+xml; charset=utf-8')
  const feed = await checkAtom(await answer.text())
  expect(feed.faults).toEqual([])
  return feed
}
const titlesAt = async (path: string) => (await feedAt(path)).entries.map(({ title }) => title)

describe.skipIf(!hasAtomCheck)('the feed of a listing', () => {
  test('has releases and posts as they are written, newest first, and either alone', async () => {
    const { uid, vanityName } = await insertPublicGame(server, owner, { name: 'The Feed' })
    await insertRelease(uid, 'First')
    await insertPost(uid, 'Second')
    await insertPost(uid, 'A draft', { state: 'draft', publishedAt: null })
    await insertPost(uid, 'Later', { state: 'scheduled', publishedAt: null, publishAt: nextTime() })
    const taken = { at: new Date().toISOString(), reason: 'Bad.', visibility: 'public' } as const
    await insertPost(uid, 'Taken down', { takenDown: taken })
    await insertRelease(uid, 'Third')
    const path = `/games/${vanityName}/feed.xml`
    const feed = await feedAt(path)
    expect(feed.entries.map(({ title }) => title)).toEqual(['Third (1.0)', 'Second', 'First (1.0)'])
    expect(feed.entries[0]?.html).toContain('<strong>moved</strong>')
    expect(feed.entries[1]?.html).toContain('<em>news</em>')
    expect(feed.entries[1]?.link).toStartWith(`${server.url}/games/${vanityName}/posts/post-`)
    expect(feed.links).toEqual({
      self: `${server.url}${path}`,
      alternate: `${server.url}/games/${vanityName}`,
    })
    expect(await titlesAt(`${path}?only=releases`)).toEqual(['Third (1.0)', 'First (1.0)'])
    expect(await titlesAt(`${path}?only=posts`)).toEqual(['Second'])
    expect(await titlesAt(`${path}?only=x`)).toHaveLength(3)
  })

  test('has 50 entries at most, read by as many statements as one', async () => {
    const [few, many] = await Promise.all([insertPublicGame(server, owner), insertPublicGame(server, owner)])
    await insertRelease(few.uid, 'Alone')
    for (let at = 0; at < 30; at += 1) {
      await insertRelease(many.uid, `Release ${at}`)
      await insertPost(many.uid, `Post ${at}`)
    }
    const path = ({ vanityName }: GameRow) => `/games/${vanityName}/feed.xml`
    const { entries } = await feedAt(path(many))
    expect(entries).toHaveLength(50)
    expect(entries[0]?.title).toBe('Post 29')
    expect(entries.at(-1)?.title).toBe('Release 5 (1.0)')
    const statements = (one: GameRow) => countStatements(server, () => server.fetch(path(one)))
    expect(await statements(many)).toBe(await statements(few))
  })

  test('stays XML with whatever people write', async () => {
    const hostile = ']]>&lt;<script>alert(1)</script>\u0001\u202e‮שלום&amp;"\'\u{1F4A3}'
    const name = `<i>${hostile}</i>`
    const { uid, vanityName } = await insertPublicGame(server, owner, { name })
    await insertRelease(
      uid,
      hostile,
      `${hostile} [x](javascript:alert(1)) ![y](http://a.example/x.png) [z](/rel)`,
    )
    await insertPost(uid, hostile, { markdown: `<iframe src="/x"></iframe> ${hostile}` })
    const feed = await feedAt(`/games/${vanityName}/feed.xml`)
    expect(feed.entries).toHaveLength(2)
    expect(feed.title).toContain(name.replace('\u0001', ''))
  })

  test('ends with its page, also for those who have it already', async () => {
    const hidden = await insertPublicGame(server, owner)
    await insertRelease(hidden.uid, 'Was public')
    const path = `/games/${hidden.vanityName}/feed.xml`
    const etag = (await server.fetch(path)).headers.get('etag') ?? ''
    const known = { 'if-none-match': etag }
    expect((await server.fetch(path, { headers: known })).status).toBe(304)
    const operator = await signUpOperator(server)
    const takeDown = await operator.json('POST', `/api/v1/operator/listings/${hidden.uid}/take-down`, {
      reason: 'Bad.',
    })
    expect(takeDown.status).toBeLessThan(300)
    expect((await server.fetch(path, { headers: known })).status).toBe(404)
    for (const visibility of ['draft', 'owner'] as const) {
      const { vanityName } = await insertGame(server, owner, { visibility })
      expect((await owner.fetch(`/games/${vanityName}/feed.xml`)).status).toBe(404)
    }
    expect((await server.fetch('/games/no-such-game/feed.xml')).status).toBe(404)
  })

  test('tells when it changed, by ETag and Last-Modified', async () => {
    const { uid, vanityName } = await insertPublicGame(server, owner)
    await insertRelease(uid, 'One')
    const path = `/games/${vanityName}/feed.xml`
    const ask = async (headers: Record<string, string> = {}) => await server.fetch(path, { headers })
    const first = await ask()
    const etag = first.headers.get('etag') ?? ''
    const modified = first.headers.get('last-modified') ?? ''
    expect(first.headers.get('cache-control')).toBe('public, max-age=0, must-revalidate')
    expect(new Date(modified).toUTCString()).toBe(modified)
    expect((await ask({ 'if-none-match': etag })).status).toBe(304)
    expect((await ask({ 'if-modified-since': modified })).status).toBe(304)
    expect((await ask({ 'if-modified-since': 'nonsense' })).status).toBe(200)
    expect((await ask({ 'if-none-match': '"other"', 'if-modified-since': modified })).status).toBe(200)
    await insertRelease(uid, 'Two')
    await server.deps.db
      .update(changelogEntries)
      .set({ createdAt: new Date(Date.now() + 5000) })
      .where(eq(changelogEntries.title, 'Two'))
    expect((await ask({ 'if-none-match': etag })).status).toBe(200)
    expect((await ask({ 'if-modified-since': modified })).status).toBe(200)
  })
})

describe.skipIf(!hasAtomCheck)('the feed of a developer', () => {
  test('has new listings, releases and posts of all that guests find', async () => {
    const developer = await signUp(server)
    const username = await usernameOf(developer)
    expect((await server.fetch(`/developers/${username}/feed.xml`)).status).toBe(404)
    const publishedAt = nextTime()
    const one = await insertPublicGame(server, developer, { name: 'One', publishedAt })
    const adult = await insertPublicGame(server, developer, { name: 'Adult', adult: true })
    const draft = await insertGame(server, developer, { name: 'Draft' })
    for (const { uid } of [adult, draft]) await insertRelease(uid, 'Unseen')
    await insertRelease(one.uid, 'Out')
    await insertPost(one.uid, 'Told')
    const path = `/developers/${username}/feed.xml`
    expect(await titlesAt(path)).toEqual(['One: Told', 'One: Out (1.0)', 'One'])
    expect(await readPage(server, `/developers/${username}`)).toContain(`href="${server.url}${path}"`)
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.ownerUid, developer.uid))
    expect((await server.fetch(path)).status).toBe(404)
  })
})

describe.skipIf(!hasAtomCheck)('other feeds', () => {
  test('of the store and of a collection are valid, whole and asked for each time', async () => {
    const operator = await signUpOperator(server)
    const slug = `feed-${crypto.randomUUID().slice(0, 8)}`
    const long = 'A long line. '.repeat(100).trim()
    await server.deps.db.insert(changelogEntries).values({
      gameUid: game.uid,
      title: 'Many',
      body: '',
      items: Array.from({ length: 30 }, (_, at) => ({ title: `Change ${at}`, description: long })),
    })
    const made = await operator.json('POST', '/api/v1/operator/collections', {
      title: 'Chosen',
      slug,
      text: '',
      games: [game.uid],
      on_home: false,
      from: null,
      until: null,
    })
    const { uid } = await readData<{ uid: string }>(made)
    const path = `/collections/${slug}/feed.xml`
    const feed = await feedAt(path)
    expect(feed.entries.map(({ title }) => title)).toEqual(['Lantern Keeper'])
    expect(feed.entries[0]?.html).toContain('Change 29')
    expect(feed.entries[0]?.html).toContain(long)
    const answer = await server.fetch(path)
    expect(answer.headers.get('last-modified')).not.toBeNull()
    expect(answer.headers.get('cache-control')).toContain('must-revalidate')
    await operator.json('DELETE', `/api/v1/operator/collections/${uid}`)
    expect((await server.fetch(path)).status).toBe(404)
    await feedAt('/feed.xml')
  })
})

describe.skipIf(!hasAtomCheck)('the private feed', () => {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const press = async (person: Person, act: string) =>
    await person.fetch('/account/feed', { method: 'POST', headers: form, body: `act=${act}` })
  const make = async (person: Person): Promise<string> => {
    const page = await (await press(person, 'make')).text()
    const [, url = ''] = /(\/following\/feed\.xml\?key=[\w-]{43})/.exec(page) ?? []
    expect(url).not.toBe('')
    return url
  }

  test('has what one follows, as one narrowed it', async () => {
    const player = await signUp(server)
    const path = await make(player)
    expect(await titlesAt(path)).toEqual([])
    const developer = await signUp(server)
    const publishedAt = nextTime()
    const [whole, narrow, theirs] = [
      await insertPublicGame(server, owner, { name: 'Whole', publishedAt }),
      await insertPublicGame(server, owner, { name: 'Narrow', publishedAt }),
      await insertPublicGame(server, developer, { name: 'Theirs', publishedAt }),
    ]
    for (const { uid } of [whole, narrow, theirs]) {
      await insertRelease(uid, 'Release')
      await insertPost(uid, 'Post')
    }
    const onLinux = await insertRelease(narrow.uid, 'For Linux')
    await insertBuild(server, narrow.uid, { version: '7.0', os: 'linux' })
    await server.deps.db
      .insert(releaseNotes)
      .values({ gameUid: narrow.uid, version: '7.0', entryUid: onLinux })
    const put = async (kind: string, uid: string, body: unknown) =>
      expect((await player.json('PUT', `/api/v1/private/follows/${kind}/${uid}`, body)).status).toBe(200)
    await put('games', whole.uid, {})
    await put('games', narrow.uid, { posts: false, platforms: ['windows'] })
    await put('developers', developer.uid, {})
    expect((await titlesAt(path)).toSorted()).toEqual([
      'Narrow: Release (1.0)',
      'Theirs',
      'Theirs: Post',
      'Whole: Post',
      'Whole: Release (1.0)',
    ])
    await put('games', narrow.uid, { posts: false, platforms: ['windows', 'linux'] })
    expect(await titlesAt(path)).toContain('Narrow: For Linux (1.0)')
    await server.deps.db.update(games).set({ visibility: 'draft' }).where(eq(games.uid, whole.uid))
    await server.deps.db.update(games).set({ adult: true }).where(eq(games.uid, narrow.uid))
    expect((await titlesAt(path)).toSorted()).toEqual(['Theirs', 'Theirs: Post'])
    const answer = await server.fetch(path)
    expect(answer.headers.get('cache-control')).toBe('private, no-cache')
    expect(answer.headers.get('x-robots-tag')).toBe('noindex')
  })

  test('opens with the newest address alone, of which only a hash is stored, until it is ended', async () => {
    const player = await signUp(server)
    const first = await make(player)
    const second = await make(player)
    expect((await server.fetch(first)).status).toBe(404)
    expect((await server.fetch(second)).status).toBe(200)
    const [row] = await server.deps.db.select().from(feedKeys).where(eq(feedKeys.userUid, player.uid))
    expect(JSON.stringify(row)).not.toContain(second.slice(-43))
    expect(await readPage(player, '/account/privacy')).not.toContain(second.slice(-43))
    const data = await readData<{ follows: object }>(await player.fetch('/api/v1/private/me/export'))
    expect(data.follows).toMatchObject({ feed_address_since: expect.any(String) })
    await server.deps.db
      .update(users)
      .set({ suspendedAt: new Date(), suspendedReason: 'x' })
      .where(eq(users.id, player.uid))
    expect((await server.fetch(second)).status).toBe(404)
    await server.deps.db.update(users).set({ suspendedAt: null }).where(eq(users.id, player.uid))
    expect((await press(player, 'end')).status).toBe(303)
    expect((await server.fetch(second)).status).toBe(404)
    for (const key of ['', '?key=', '?key=wrong', `?key=${'x'.repeat(5000)}`, '?key=%00', '?key=a&key=b'])
      expect([400, 404]).toContain((await server.fetch(`/following/feed.xml${key}`)).status)
  })
})

test('pages name their feeds', async () => {
  const page = await readPage(server, `/games/${game.vanityName}`)
  expect(page).toMatch(
    new RegExp(
      `<link rel="alternate" type="application/atom\\+xml" [^>]*href="${server.url}/games/${game.vanityName}/feed.xml"`,
    ),
  )
})
