import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { gameHistory, images } from '../../../../src/db/schema/games/game-pages.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { posts } from '../../../../src/db/schema/posts.ts'
import { UNPUBLISHED_MAX } from '../../../../src/domain/posts.ts'
import type { Post, PublicPost } from '../../../../src/features/community/posts/model.ts'
import type { Paged } from '../../../../src/lib/paging.ts'
import { drawPng, send } from '../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import {
  listNotices,
  listPublic,
  postsPath,
  publishPost,
  readPost,
  writePost,
} from '../../../helpers/posts.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner)
})

const create = (body: unknown, person = owner) => person.json('POST', postsPath(game), body)
const edit = (post: Post, body: unknown, headers: Record<string, string> = {}) =>
  owner.fetch(postsPath({ uid: game.uid }, `/${post.uid}`), {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
const readPublic = (slug: string, ref = game.uid) =>
  server.fetch(`/api/v1/public/games/${ref}/posts/${encodeURIComponent(slug)}`)

describe('a post', () => {
  test('begins as a draft with defaults, which nobody else can read', async () => {
    const answer = await create({ title: '  The lamp turns again  ', markdown: '**Warm** light.' })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('etag')).toBe('"1"')
    const post = await readData<Post>(answer)
    expect(post).toMatchObject({
      slug: 'the-lamp-turns-again',
      title: 'The lamp turns again',
      markdown: '**Warm** light.',
      html: '<p><strong>Warm</strong> light.</p>\n',
      kind: 'news',
      state: 'draft',
      publish_at: null,
      published_at: null,
      pinned: false,
      send_to_followers: true,
      sent_at: null,
      picture: null,
      taken_down: null,
      url: `${server.url}/games/${game.vanityName}/posts/the-lamp-turns-again`,
    })
    expect((await readPublic(post.slug)).status).toBe(404)
    expect(await listPublic(server, game)).toEqual([])
    expect(await listNotices(server, post.uid)).toEqual([])
  })

  test('is published, read by its slug, changed and withdrawn', async () => {
    const post = await publishPost(owner, game, { title: 'Opened', kind: 'event', markdown: 'Come in.' })
    expect(post).toMatchObject({ state: 'published', kind: 'event' })
    expect(post.published_at).not.toBeNull()
    const shown = await readData<PublicPost>(await readPublic(post.slug))
    expect(shown).toMatchObject({ uid: post.uid, title: 'Opened', published_at: post.published_at })
    expect(shown).not.toHaveProperty('send_to_followers')

    await edit(post, { title: 'Opened again' })
    expect(await readData<PublicPost>(await readPublic(post.slug))).toMatchObject({
      slug: 'opened',
      title: 'Opened again',
    })
    expect((await edit(post, { state: 'draft' })).status).toBe(200)
    expect((await readPublic(post.slug)).status).toBe(404)
    const again = await readData<Post>(await edit(post, { state: 'published' }))
    expect(again.published_at).toBe(post.published_at)
    const history = await server.deps.db
      .select({ kind: gameHistory.kind })
      .from(gameHistory)
      .where(eq(gameHistory.gameUid, game.uid))
      .orderBy(gameHistory.uid)
    expect(history.map(({ kind }) => kind)).toEqual(['post_published', 'post_withdrawn', 'post_published'])
  })

  test('is sent back as it was read, but with a changed read-only field refused', async () => {
    const post = await writePost(owner, game, { title: 'Sent back' })
    expect((await edit(post, post)).status).toBe(200)
    const refused = await readFailure(await edit(post, { title: 'x', slug: 'other' }))
    expect(refused).toMatchObject({ status: 400, code: 4000, data: { issues: [{ path: 'slug' }] } })
  })

  test('is not overwritten by an edit of an older version', async () => {
    const post = await writePost(owner, game)
    const changed = await edit(post, { title: 'Second' }, { 'if-match': '"1"' })
    expect([changed.status, changed.headers.get('etag')]).toEqual([200, '"2"'])
    const stale = await readFailure(await edit(post, { title: 'Third' }, { 'if-match': '"1"' }))
    expect(stale).toMatchObject({ status: 412, code: 4120 })
    expect((await readPost(owner, game, post.uid)).title).toBe('Second')
    const read = await owner.fetch(postsPath(game, `/${post.uid}`))
    expect(read.headers.get('etag')).toBe('"2"')
  })

  test('is deleted with its picture, and then gone everywhere', async () => {
    const post = await publishPost(owner, game, { title: 'Deleted soon' })
    await send(owner, postsPath(game, `/${post.uid}/picture`), await drawPng(64, 64))
    expect((await owner.json('DELETE', postsPath(game, `/${post.uid}`))).status).toBe(200)
    expect((await readPublic(post.slug)).status).toBe(404)
    expect((await owner.json('DELETE', postsPath(game, `/${post.uid}`))).status).toBe(404)
    expect(await server.deps.db.$count(images, eq(images.kind, 'post'))).toBe(0)
  })

  test.each([
    ['no title', {}],
    ['an empty title', { title: '   ' }],
    ['a title of direction marks', { title: '\u200f\u202e\u200f' }],
    ['a title with a hidden direction', { title: 'abc\u202edef' }],
    ['a title with a line break', { title: 'a\nb' }],
    ['121 characters', { title: 'x'.repeat(121) }],
    ['20,001 characters of text', { title: 'x', markdown: 'x'.repeat(20_001) }],
    ['an unknown kind', { title: 'x', kind: 'rant' }],
    ['an unknown state', { title: 'x', state: 'hidden' }],
    ['an unknown field', { title: 'x', body: 'x' }],
    ['a NUL character', { title: 'x', markdown: 'a\u0000b' }],
    ['a time that is none', { title: 'x', publish_at: 'tomorrow' }],
    ['a schedule without a time', { title: 'x', state: 'scheduled' }],
    ['a schedule in the past', { title: 'x', state: 'scheduled', publish_at: '2020-01-01T00:00:00Z' }],
    ['a schedule in years', { title: 'x', state: 'scheduled', publish_at: '2099-01-01T00:00:00Z' }],
    ['a list', []],
  ])('with %s is 400/4000', async (_, body) => {
    expect(await readFailure(await create(body))).toMatchObject({ status: 400, code: 4000 })
  })

  test('tells what is wrong with its title and its time at once', async () => {
    const answer = await create({ title: '\u200f', state: 'scheduled' })
    expect(await readFailure(answer)).toMatchObject({
      data: {
        issues: [
          { path: 'title', message: expect.stringContaining('one line of 1 to 120 characters') },
          { path: 'publish_at', message: expect.stringContaining('must be given') },
        ],
      },
    })
  })

  test('takes 120 characters, emoji counted as people do', async () => {
    const post = await writePost(owner, game, { title: '🌟'.repeat(120) })
    expect(post.slug).toBe('news')
  })
})

describe('the slug', () => {
  test('of a taken title gets a number, and stays when the title changes', async () => {
    const made = await insertPublicGame(server, owner)
    const slugs: string[] = []
    for (let index = 0; index < 3; index += 1)
      slugs.push((await writePost(owner, made, { title: 'Same title!' })).slug)
    expect(slugs).toEqual(['same-title', 'same-title-2', 'same-title-3'])
  })

  test('of a title without letters of an address is that of the kind', async () => {
    const made = await insertPublicGame(server, owner)
    const titles = ['更新のお知らせ', 'חדשות', '!!!']
    const slugs: string[] = []
    for (const title of titles) slugs.push((await writePost(owner, made, { title, kind: 'update' })).slug)
    expect(slugs).toEqual(['update', 'update-2', 'update-3'])
  })

  test('is another one for each of many with one title at once', async () => {
    const made = await insertPublicGame(server, owner)
    const written = await Promise.all(
      Array.from({ length: 30 }, () => writePost(owner, made, { title: 'Rush' })),
    )
    expect(new Set(written.map(({ slug }) => slug)).size).toBe(30)
  })
})

describe('hostile Markdown', () => {
  test.each([
    ['a script', '<script>alert(1)</script>'],
    ['an event handler', '<img src=x onerror=alert(1)>'],
    ['a link that runs', '[x](javascript:alert(1))'],
    ['a picture that runs', '![x](javascript:alert(1))'],
    ['an embedded frame', '<iframe src="https://evil.example"></iframe>'],
  ])('with %s is shown as text', async (_, markdown) => {
    const post = await publishPost(owner, await insertPublicGame(server, owner), { markdown })
    expect(post.html).not.toMatch(/<(script|iframe)|<img(?! src="https:)|href="javascript:/)
  })

  test('of deep nesting costs no time', async () => {
    const made = await insertPublicGame(server, owner)
    const post = await publishPost(owner, made, { markdown: '> '.repeat(9000) })
    expect(post.html).toStartWith('<pre>')
  })
})

describe('who sees and writes', () => {
  test('admins write as the owner does; everybody else gets 403 or 404', async () => {
    const [admin, stranger] = await Promise.all([signUp(server), signUp(server)])
    await insertAdmin(server, game.uid, admin, 'accepted')
    expect((await create({ title: 'By an admin', state: 'published' }, admin)).status).toBe(201)
    expect((await create({ title: 'By a stranger' }, stranger)).status).toBe(403)
    const draft = await insertGame(server, owner)
    expect((await stranger.json('POST', postsPath(draft), { title: 'x' })).status).toBe(404)
  })

  test('posts of hidden listings and of other listings are not found', async () => {
    const made = await insertPublicGame(server, owner)
    const post = await publishPost(owner, made)
    const other = await insertPublicGame(server, owner)
    expect((await readPublic(post.slug, other.uid)).status).toBe(404)
    expect((await owner.fetch(postsPath(other, `/${post.uid}`))).status).toBe(404)
    for (const visibility of ['draft', 'owner'] as const) {
      await server.deps.db.update(games).set({ visibility }).where(eq(games.uid, made.uid))
      expect((await readPublic(post.slug, made.uid)).status).toBe(404)
      expect((await server.fetch(`/api/v1/public/games/${made.uid}/posts`)).status).toBe(404)
    }
    await server.deps.db.update(games).set({ visibility: 'invisible' }).where(eq(games.uid, made.uid))
    expect((await readPublic(post.slug, made.uid)).status).toBe(200)
  })

  test('pictures of adult listings are left out for those who did not ask for them', async () => {
    const made = await insertPublicGame(server, owner, { adult: true, contentWarnings: ['gore'] })
    const post = await publishPost(owner, made)
    await send(owner, postsPath(made, `/${post.uid}/picture`), await drawPng(64, 64))
    const reader = await signUp(server)
    const created = await reader.json('POST', '/api/v1/private/player-keys', {
      label: 'reader',
      scopes: ['player:read'],
    })
    const { key } = await readData<{ key: string }>(created)
    const headers = { authorization: `Bearer ${key}` }
    expect((await listPublic(server, made, { headers }))[0]?.picture).toBeNull()
    await reader.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect((await listPublic(server, made, { headers }))[0]?.picture).toMatchObject({ width: 64 })
    expect((await listPublic(server, made))[0]).toMatchObject({ picture: null, title: post.title })
  })
})

describe('lists', () => {
  test('of the writers are by state, those of everyone newest first', async () => {
    const made = await insertPublicGame(server, owner)
    const [first, second] = [
      await publishPost(owner, made, { title: 'First' }),
      await publishPost(owner, made, { title: 'Second' }),
    ]
    const draft = await writePost(owner, made, { title: 'Draft' })
    const publish_at = new Date(Date.now() + 3_600_000).toISOString()
    const later = await writePost(owner, made, { title: 'Later', state: 'scheduled', publish_at })
    expect(later).toMatchObject({ state: 'scheduled', publish_at, published_at: null })
    const list = async (query: string) =>
      (await readData<Paged<Post>>(await owner.fetch(postsPath(made, query)))).items.map(({ uid }) => uid)
    expect(await list('')).toEqual([later.uid, draft.uid, second.uid, first.uid])
    expect(await list('?state=draft')).toEqual([draft.uid])
    expect(await list('?state=scheduled')).toEqual([later.uid])
    expect(await list('?state=published&page_size=1')).toEqual([second.uid])
    expect(await list('?state=nonsense')).toHaveLength(4)
    expect((await listPublic(server, made)).map(({ uid }) => uid)).toEqual([second.uid, first.uid])
  })

  test('have an entity tag, which changes within a second', async () => {
    const made = await insertPublicGame(server, owner)
    const path = `/api/v1/public/games/${made.uid}/posts`
    const etag = (await server.fetch(path)).headers.get('etag') ?? ''
    expect((await server.fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(304)
    await publishPost(owner, made)
    expect((await server.fetch(path, { headers: { 'if-none-match': etag } })).status).toBe(200)
  })

  test('have one pinned post', async () => {
    const made = await insertPublicGame(server, owner)
    const first = await publishPost(owner, made, { pinned: true })
    const second = await publishPost(owner, made, { pinned: true })
    const pinned = (await listPublic(server, made)).filter((post) => post.pinned)
    expect(pinned.map(({ uid }) => uid)).toEqual([second.uid])
    const both = [first, second].map(({ uid }) =>
      owner.json('PATCH', postsPath(made, `/${uid}`), { pinned: true }),
    )
    expect((await Promise.all(both)).map(({ status }) => status)).toEqual([200, 200])
    expect((await listPublic(server, made)).filter((post) => post.pinned)).toHaveLength(1)
  })
})

describe('telling followers', () => {
  // Writes to one listing are limited.
  beforeAll(async () => {
    game = await insertPublicGame(server, owner)
  })

  test('happens once, when it is first published', async () => {
    const post = await writePost(owner, game, { title: 'Told once', markdown: 'Some **words**.' })
    expect(await listNotices(server, post.uid)).toEqual([])
    const published = await readData<Post>(await edit(post, { state: 'published' }))
    expect(published.sent_at).not.toBeNull()
    const [notice, ...more] = await listNotices(server, post.uid)
    expect(more).toEqual([])
    expect(notice).toMatchObject({
      gameUid: game.uid,
      developerUid: owner.uid,
      userUid: null,
      facts: {
        title: 'Told once',
        text: 'Some words.',
        path: `/games/${game.vanityName}/posts/${post.slug}`,
      },
    })
    for (const body of [
      { title: 'Told once, changed' },
      { send_to_followers: false },
      { send_to_followers: true },
      { state: 'draft' },
      { state: 'published' },
    ])
      expect((await edit(post, body)).status).toBe(200)
    expect(await listNotices(server, post.uid)).toHaveLength(1)
  })

  test('does not happen where it is not wanted, nor by a later edit', async () => {
    const post = await publishPost(owner, game, { title: 'Quiet', send_to_followers: false })
    expect(post.sent_at).toBeNull()
    await edit(post, { send_to_followers: true, title: 'Still quiet' })
    expect(await listNotices(server, post.uid)).toEqual([])
  })

  test('happens once if several publish it at once', async () => {
    const post = await writePost(owner, game, { title: 'All at once' })
    const answers = await Promise.all(Array.from({ length: 5 }, () => edit(post, { state: 'published' })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200])
    expect(await listNotices(server, post.uid)).toHaveLength(1)
  })
})

describe('bounds', () => {
  test('the 21st published in a day is 429/4290, and deleting makes no room', async () => {
    const made = await insertPublicGame(server, owner)
    const published: Post[] = []
    for (let index = 0; index < 20; index += 1) published.push(await publishPost(owner, made))
    const [first] = published
    await owner.json('DELETE', postsPath(made, `/${first?.uid}`))
    const answer = await owner.json('POST', postsPath(made), { title: 'One more', state: 'published' })
    expect(answer.headers.get('retry-after')).not.toBeNull()
    const refused = await readFailure(answer)
    expect(refused).toMatchObject({ status: 429, code: 4290 })
    expect(refused.message).toContain('20 posts a day')
    expect(await server.deps.db.$count(posts, eq(posts.gameUid, made.uid))).toBe(19)
    expect((await writePost(owner, made, { title: 'A draft' })).state).toBe('draft')
    const other = await insertPublicGame(server, owner)
    expect((await publishPost(owner, other)).state).toBe('published')
  })

  test('drafts and scheduled posts have room until one is published or deleted', async () => {
    const made = await insertPublicGame(server, owner)
    await server.deps.db.insert(posts).values(
      Array.from({ length: UNPUBLISHED_MAX }, (_, index) => ({
        gameUid: made.uid,
        title: 'x',
        slug: `x-${index}`,
      })),
    )
    const refused = await readFailure(await owner.json('POST', postsPath(made), { title: 'One more' }))
    expect(refused).toMatchObject({ status: 409, code: 4090 })
  })
})
