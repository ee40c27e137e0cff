import { beforeAll, describe, expect, test } from 'bun:test'

import type { Post } from '../../../../src/features/community/posts/model.ts'
import { publishDue } from '../../../../src/features/community/posts/publish.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertPublicGame } from '../../../helpers/listings.ts'
import { signUp } from '../../../helpers/people.ts'
import {
  listNotices,
  listPublic,
  makePostDue,
  postsPath,
  publishPost,
  readPost,
  writePost,
} from '../../../helpers/posts.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, owner)
})

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()
const schedule = (made = game, fields: object = {}) =>
  writePost(owner, made, { state: 'scheduled', publish_at: inAnHour(), ...fields })
const run = () => publishDue(server.deps, new AbortController().signal)
const patch = async (post: Post, body: object, made = game) =>
  await readData<Post>(await owner.json('PATCH', postsPath(made, `/${post.uid}`), body))

describe('a scheduled post', () => {
  test('is published when its time has come, and told once', async () => {
    const [due, later] = [await schedule(), await schedule()]
    await makePostDue(server, due.uid)
    await run()
    const published = await readPost(owner, game, due.uid)
    expect(published.state).toBe('published')
    expect(published.published_at).not.toBeNull()
    expect(published.sent_at).not.toBeNull()
    expect((await readPost(owner, game, later.uid)).state).toBe('scheduled')
    expect((await listPublic(server, game)).map(({ uid }) => uid)).toContain(due.uid)
    await run()
    expect(await listNotices(server, due.uid)).toHaveLength(1)
  })

  test('is published once by processes that look at the same time', async () => {
    const due = await Promise.all(Array.from({ length: 5 }, () => schedule()))
    for (const { uid } of due) await makePostDue(server, uid)
    await Promise.all([run(), run(), run()])
    for (const { uid } of due) {
      expect((await readPost(owner, game, uid)).state).toBe('published')
      expect(await listNotices(server, uid)).toHaveLength(1)
    }
  })

  test('is not published after it went back to draft, or got a later time', async () => {
    const [withdrawn, moved] = [await schedule(), await schedule()]
    await patch(withdrawn, { state: 'draft' })
    await makePostDue(server, withdrawn.uid)
    await makePostDue(server, moved.uid)
    await patch(moved, { publish_at: inAnHour() })
    await run()
    expect((await readPost(owner, game, withdrawn.uid)).state).toBe('draft')
    expect((await readPost(owner, game, moved.uid)).state).toBe('scheduled')
  })

  test('whose time just passed can still be edited', async () => {
    const post = await schedule()
    await makePostDue(server, post.uid)
    expect(await patch(post, { title: 'Corrected at the last moment' })).toMatchObject({ state: 'scheduled' })
    await run()
    expect((await readPost(owner, game, post.uid)).title).toBe('Corrected at the last moment')
  })

  test('can be published earlier by hand, and is not published again at its time', async () => {
    const post = await schedule()
    const published = await patch(post, { state: 'published' })
    await makePostDue(server, post.uid)
    await run()
    expect(await readPost(owner, game, post.uid)).toMatchObject({ published_at: published.published_at })
    expect(await listNotices(server, post.uid)).toHaveLength(1)
  })

  test('over the limit of the day stays scheduled, and does not delay those of others', async () => {
    const [busy, calm] = [await insertPublicGame(server, owner), await insertPublicGame(server, owner)]
    for (let index = 0; index < 20; index += 1) await publishPost(owner, busy)
    const [waiting, due] = [await schedule(busy), await schedule(calm)]
    await makePostDue(server, waiting.uid)
    await makePostDue(server, due.uid)
    await run()
    expect((await readPost(owner, busy, waiting.uid)).state).toBe('scheduled')
    expect((await readPost(owner, calm, due.uid)).state).toBe('published')
  })

  test('is public at its time where jobs run', async () => {
    const store = await startTestServer({ TRUST_PROXY: '1', ROLE: 'all' })
    try {
      const writer = await signUp(store)
      const made = await insertPublicGame(store, writer)
      const publish_at = new Date(Date.now() + 1500).toISOString()
      const { uid } = await writePost(writer, made, { state: 'scheduled', publish_at })
      expect(await listPublic(store, made)).toEqual([])
      const [shown] = await waitFor('the post', async () => {
        const found = await listPublic(store, made)
        return found.length > 0 && found
      })
      expect(shown).toMatchObject({ uid })
      expect((shown?.published_at ?? '') >= publish_at).toBe(true)
    } finally {
      await store.stop()
    }
  })
})
