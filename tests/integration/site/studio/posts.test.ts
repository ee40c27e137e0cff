import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { posts } from '../../../../src/db/schema/posts.ts'
import { drawPng } from '../../../helpers/files/pictures.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import { listNotices, readPost, writePost } from '../../../helpers/posts.ts'
import { openTab, submitForm } from '../../../helpers/site/studio.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner)
})

type Fields = Record<string, string>
const FIELDS = { title: 'The lamp turns', markdown: 'Warm\r\nlight.', kind: 'update', publish_at: '' }
const send = (tail: string, fields: Fields = {}, person = owner) =>
  submitForm(person, `/studio/${game.vanityName}/posts${tail}`, fields)

/** Creates a post by the form and returns its uid. */
async function create(fields: Fields = {}): Promise<string> {
  const answer = await send('/new', { ...FIELDS, ...fields })
  expect(answer.status).toBe(303)
  const [, uid = ''] = /\/posts\/([0-9a-f-]{36})/.exec(answer.headers.get('location') ?? '') ?? []
  return uid
}

describe('the tab for posts', () => {
  test('opens with its own link marked, and is missing for a stranger', async () => {
    const page = await openTab(owner, game, 'posts')
    expect(page).toMatch(new RegExp(`href="/studio/${game.vanityName}/posts"[^>]*aria-current="page"`))
    const stranger = await signUp(server)
    for (const tail of ['', '/new']) {
      const path = `/studio/${game.vanityName}/posts${tail}`
      expect((await stranger.fetch(path, { headers: { accept: 'text/html' } })).status).toBe(404)
    }
    expect((await send('/new', FIELDS, stranger)).status).toBe(404)
    const foreign = await submitForm(owner, `/studio/${game.vanityName}/posts/new`, FIELDS, {
      origin: 'null',
    })
    expect(foreign.status).toBe(403)
  })

  test('lists posts by state', async () => {
    const made = await insertPublicGame(server, owner)
    await writePost(owner, made, { title: 'A draft of mine' })
    await writePost(owner, made, { title: 'A public one', state: 'published' })
    const list = (query: string) => openTab(owner, made, `posts${query}`)
    expect(await list('')).toContain('A draft of mine')
    expect(await list('?state=published')).not.toContain('A draft of mine')
    expect(await list('?state=published')).toContain('A public one')
    expect(await list('?state=scheduled')).toContain('No posts here yet.')
  })
})

describe('the editor', () => {
  test('saves a draft, sends to followers unless unticked, and publishes', async () => {
    const page = await openTab(owner, game, 'posts/new')
    expect(page).toMatch(/name="send_to_followers"[^>]*checked/)
    const uid = await create({ send_to_followers: 'true', act: 'save' })
    expect(await readPost(owner, game, uid)).toMatchObject({
      title: 'The lamp turns',
      markdown: 'Warm\nlight.',
      kind: 'update',
      state: 'draft',
      send_to_followers: true,
      pinned: false,
    })
    const answer = await send(`/${uid}`, {
      ...FIELDS,
      send_to_followers: 'true',
      pinned: 'true',
      act: 'publish',
    })
    expect(answer.headers.get('location')).toEndWith(`/posts/${uid}?done=published`)
    expect(await readPost(owner, game, uid)).toMatchObject({ state: 'published', pinned: true })
    expect(await listNotices(server, uid)).toHaveLength(1)
    await send(`/${uid}`, { ...FIELDS, title: 'Changed', send_to_followers: 'true', act: 'save' })
    expect(await readPost(owner, game, uid)).toMatchObject({ state: 'published', title: 'Changed' })
    expect(await listNotices(server, uid)).toHaveLength(1)
    await send(`/${uid}`, { ...FIELDS, act: 'withdraw' })
    expect((await readPost(owner, game, uid)).state).toBe('draft')
  })

  test('publishes without telling anyone if that is unticked', async () => {
    const uid = await create({ act: 'publish' })
    expect(await readPost(owner, game, uid)).toMatchObject({ state: 'published', sent_at: null })
  })

  test('schedules at a time of UTC', async () => {
    const at = `${new Date(Date.now() + 86_400_000).toISOString().slice(0, 10)}T12:30`
    const uid = await create({ publish_at: at, act: 'schedule' })
    expect(await readPost(owner, game, uid)).toMatchObject({
      state: 'scheduled',
      publish_at: `${at}:00.000Z`,
    })
    expect(await openTab(owner, game, `posts/${uid}`)).toContain(`value="${at}"`)
  })

  test.each<[string, Fields, string]>([
    ['no title', { title: '\u200f' }, 'one line of 1 to 120 characters'],
    ['no time', { act: 'schedule' }, 'must be given for a scheduled post'],
    ['a time that is past', { act: 'schedule', publish_at: '2020-01-01T12:00' }, 'in the future'],
    ['too long a text', { markdown: 'x'.repeat(20_001) }, '20000'],
  ])('with %s is shown again with what was typed', async (_, fields, fault) => {
    const answer = await send('/new', { ...FIELDS, markdown: 'Typed before.', ...fields })
    expect(answer.status).toBe(400)
    const page = await answer.text()
    expect(page).toContain(fault)
    expect(page).toContain(fields.markdown ?? 'Typed before.')
  })

  test('shows both versions if somebody else saved meanwhile', async () => {
    const uid = await create()
    await owner.json('PATCH', `/api/v1/private/games/${game.uid}/posts/${uid}`, { markdown: 'Theirs.' })
    const answer = await send(`/${uid}`, { ...FIELDS, markdown: 'Mine.', revision: '1', act: 'save' })
    expect(answer.status).toBe(412)
    const page = await answer.text()
    expect(page).toContain('Theirs.')
    expect(page).toContain('Mine.')
    expect((await readPost(owner, game, uid)).markdown).toBe('Theirs.')
    const [, revision = ''] = /name="revision" value="(\d+)"/.exec(page) ?? []
    await send(`/${uid}`, { ...FIELDS, markdown: 'Mine.', revision, act: 'save' })
    expect((await readPost(owner, game, uid)).markdown).toBe('Mine.')
  })

  test('adds and removes a picture, and deletes the post', async () => {
    const uid = await create()
    const form = new FormData()
    form.set('file', await drawPng(64, 64), 'lamp.png')
    const path = `/studio/${game.vanityName}/posts/${uid}/picture`
    const sent = await owner.fetch(path, { method: 'POST', headers: { accept: 'text/html' }, body: form })
    expect(sent.status).toBe(303)
    expect((await readPost(owner, game, uid)).picture).toMatchObject({ width: 64 })
    expect(await openTab(owner, game, `posts/${uid}`)).toContain('post-picture')
    expect((await send(`/${uid}/picture/remove`)).status).toBe(303)
    expect((await readPost(owner, game, uid)).picture).toBeNull()
    expect((await send(`/${uid}/delete`)).status).toBe(303)
    expect(await server.deps.db.$count(posts, eq(posts.uid, uid))).toBe(0)
    expect((await send(`/${uid}`, FIELDS)).status).toBe(404)
  })
})
