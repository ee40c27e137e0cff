import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { promotionRequests } from '../../../../src/db/schema/approvals.ts'
import { gameHistory } from '../../../../src/db/schema/games/game-pages.ts'
import type { Post } from '../../../../src/features/community/posts/model.ts'
import { readData } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertPublicGame } from '../../../helpers/listings.ts'
import { readMails } from '../../../helpers/mails.ts'
import { bearerOf, callTool } from '../../../helpers/mcp.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { listNotices, listPublic, postsPath, readPost, writePost } from '../../../helpers/posts.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const owner = usePerson(server)
let agent: Record<string, string>
let game: GameRow
beforeAll(async () => {
  agent = await agentOf(owner, 'mcp:posts')
  game = await insertPublicGame(server, owner, { name: 'Star Harbour;' })
})

async function agentOf(person: Person, scope: string) {
  return bearerOf((await obtainToken(server, person, scope)).access_token)
}

const call = (name: string, args: object, headers = agent) => callTool(server, headers, name, args)
const write = async (args: object = {}) => {
  const { data } = await call('write_post', { game_id: game.uid, title: 'Written by a program', ...args })
  return data as Post
}
const publish = (uid: string, headers = agent) =>
  call('publish_post', { game_id: game.uid, post_uid: uid }, headers)

const countRequests = (uid: string) =>
  server.deps.db.$count(promotionRequests, eq(promotionRequests.postUid, uid))

/** The token of the newest mail about this post. */
async function tokenFor(title: string, skip = 0): Promise<string> {
  const mail = await waitFor('the mail', async () => {
    const found = (await readMails(server)).filter(({ text }) => text.includes(title))
    return found[skip]
  })
  expect(mail.to).toBe(owner.email)
  return mail.link.split('/').at(-1) ?? ''
}

const decide = (person: Person, token: string, decision: 'approve' | 'reject') =>
  person.json('POST', `/api/v1/private/approvals/${token}`, { decision })

describe('write_post', () => {
  test('writes a draft and changes it', async () => {
    const post = await write({ markdown: '**Hello**', kind: 'event' })
    expect(post).toMatchObject({ state: 'draft', kind: 'event', html: '<p><strong>Hello</strong></p>\n' })
    const { data } = await call('write_post', { game_id: game.uid, post_uid: post.uid, markdown: 'Bye.' })
    expect(data).toMatchObject({ uid: post.uid, title: 'Written by a program', markdown: 'Bye.' })
    expect(await readPost(owner, game, post.uid)).toMatchObject({ markdown: 'Bye.' })
    expect(await listPublic(server, game)).toEqual([])
  })

  test('cannot publish, schedule or pin', async () => {
    for (const more of [{ state: 'published' }, { publish_at: '2030-01-01T00:00:00Z' }, { pinned: true }]) {
      const refused = await call('write_post', { game_id: game.uid, title: 'x', ...more })
      expect(refused).toMatchObject({ isError: true, code: 4000 })
    }
    expect((await call('write_post', { game_id: game.uid })).code).toBe(4000)
  })

  test('cannot change what is published or scheduled, nor posts of others', async () => {
    const publish_at = new Date(Date.now() + 3_600_000).toISOString()
    const published = await writePost(owner, game, { state: 'published' })
    const scheduled = await writePost(owner, game, { state: 'scheduled', publish_at })
    for (const { uid } of [published, scheduled]) {
      const args = { game_id: game.uid, post_uid: uid, title: 'x' }
      expect((await call('write_post', args)).code).toBe(4090)
      expect((await publish(uid)).code).toBe(4090)
    }
    const other = await signUp(server)
    const foreign = await insertPublicGame(server, other)
    expect((await call('write_post', { game_id: foreign.uid, title: 'x' })).code).toBe(4030)
    const { uid } = await writePost(other, foreign)
    expect((await publish(uid)).code).toBe(4040)
  })

  test('needs its scope', async () => {
    const reader = await agentOf(owner, 'mcp:catalog.read')
    expect((await call('write_post', { game_id: game.uid, title: 'x' }, reader)).code).toBe(4031)
    expect((await publish((await write()).uid, reader)).code).toBe(4031)
  })
})

describe('publish_post', () => {
  test('asks the owner by mail, once, and publishes what was approved', async () => {
    const post = await write({ title: 'Asked for' })
    for (let times = 0; times < 2; times += 1)
      expect((await publish(post.uid)).data).toEqual({ approval: 'pending' })
    expect(await countRequests(post.uid)).toBe(1)
    expect((await readPost(owner, game, post.uid)).state).toBe('draft')
    const token = await tokenFor('Asked for')
    const page = await (await owner.fetch(`/approvals/${token}`)).text()
    expect(page).toContain('Asked for')
    expect((await decide(await signUp(server), token, 'approve')).status).toBe(403)
    expect(await readData(await decide(owner, token, 'approve'))).toEqual({ approval: 'approved' })
    expect((await readPost(owner, game, post.uid)).state).toBe('published')
    expect(await listNotices(server, post.uid)).toHaveLength(1)
    expect((await decide(owner, token, 'approve')).status).toBe(404)
    const [change] = await server.deps.db
      .select()
      .from(gameHistory)
      .where(eq(gameHistory.subject, 'Asked for'))
    expect(change).toMatchObject({ kind: 'post_published' })
    expect(change?.changedBy).toStartWith('A test client for ')
  })

  test('publishes nothing when the owner rejects it', async () => {
    const post = await write({ title: 'Rejected' })
    await publish(post.uid)
    expect(await readData(await decide(owner, await tokenFor('Rejected'), 'reject'))).toEqual({
      approval: 'rejected',
    })
    expect((await readPost(owner, game, post.uid)).state).toBe('draft')
  })

  test('ends its request when the program changes the text that the owner read', async () => {
    const post = await write({ title: 'Changed later' })
    await publish(post.uid)
    const token = await tokenFor('Changed later')
    await call('write_post', { game_id: game.uid, post_uid: post.uid, markdown: 'Something else.' })
    expect((await decide(owner, token, 'approve')).status).toBe(404)
    expect((await readPost(owner, game, post.uid)).state).toBe('draft')
    await publish(post.uid)
    expect((await decide(owner, await tokenFor('Changed later', 1), 'approve')).status).toBe(200)
  })

  test('of an admin’s program is decided by the owner alone', async () => {
    const admin = await signUp(server)
    await insertAdmin(server, game.uid, admin, 'accepted')
    const program = await agentOf(admin, 'mcp:posts')
    const post = await write({ title: 'By an admin' })
    expect((await publish(post.uid, program)).isError).toBe(false)
    const token = await tokenFor('By an admin')
    expect((await decide(admin, token, 'approve')).status).toBe(403)
    expect((await decide(owner, token, 'approve')).status).toBe(200)
  })

  test('is shown in the studio, where the owner decides too', async () => {
    // A listing without other requests.
    game = await insertPublicGame(server, owner)
    const post = await write({ title: 'Seen in the studio' })
    await publish(post.uid)
    const page = await (await owner.fetch(`/studio/${game.vanityName}/posts`)).text()
    expect(page).toContain('Waiting for approval')
    const [, path = ''] = /action="([^"]+\/approvals\/[^"]+)"/.exec(page) ?? []
    const sent = await owner.fetch(path, {
      method: 'POST',
      body: new URLSearchParams({ decision: 'approve' }),
    })
    expect(sent.status).toBe(303)
    expect((await readPost(owner, game, post.uid)).state).toBe('published')
  })

  test('is read by its token on the private routes, which programs cannot write', async () => {
    const post = await write({ title: 'Read by a program' })
    const read = await server.fetch(postsPath(game, `/${post.uid}`), { headers: agent })
    expect((await readData<Post>(read)).uid).toBe(post.uid)
    const written = await server.fetch(postsPath(game), {
      method: 'POST',
      headers: { ...agent, 'content-type': 'application/json' },
      body: JSON.stringify({ title: 'x', state: 'published' }),
    })
    expect(written.status).toBe(403)
  })
})
