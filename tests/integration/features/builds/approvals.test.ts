import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { promotionRequests } from '../../../../src/db/schema/approvals.ts'
import { files } from '../../../../src/db/schema/builds.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { type BuildRow, insertBuild, insertFile } from '../../../helpers/builds.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { readMails } from '../../../helpers/mails.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { promote, readHistory, readVersions, release } from '../../../helpers/releases.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const owner = usePerson(server)
let agent: { authorization: string }
beforeAll(async () => {
  agent = await agentOf(owner)
})

async function agentOf(person: Person): Promise<{ authorization: string }> {
  const { access_token } = await obtainToken(server, person, 'mcp:builds.read mcp:builds.write')
  return { authorization: `Bearer ${access_token}` }
}

/** As histories, mails and pages show it. */
async function agentName(): Promise<string> {
  const me = await readData<{ username: string }>(await owner.fetch('/api/v1/private/me'))
  return `A test client for ${me.username}`
}

const ask = (game: GameRow, build: BuildRow, channel = 'stable', headers = agent) =>
  server.fetch(`/api/v1/private/games/${game.uid}/channels/${channel}/promote`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ build_id: build.uid }),
  })

const mailsAbout = async (game: GameRow) =>
  (await readMails(server)).filter(({ text }) => text.includes(game.name))
const decide = (person: Person, token: string, decision: unknown) =>
  person.json('POST', `/api/v1/private/approvals/${token}`, { decision })

let count = 0
/** A listing with a stable 1.0.0 and a beta 2.0.0 that an agent wants stable; answers the mailed token. */
async function askedGame(): Promise<{ game: GameRow; build: BuildRow; token: string }> {
  const game = await insertGame(server, owner, { name: `Star Harbour ${(count += 1)};` })
  await release(server, game.uid, { version: '1.0.0' })
  const build = await release(server, game.uid, { version: '2.0.0', channel: 'beta' })
  expect((await ask(game, build)).status).toBe(202)
  const [mail] = await waitFor('The mail', async () => {
    const found = await mailsAbout(game)
    return found.length > 0 && found
  })
  return { game, build, token: mail?.link.split('/').at(-1) ?? '' }
}

describe("an agent's promotion to stable", () => {
  test('waits for approval by email', async () => {
    const { game, build, token } = await askedGame()
    const answer = await ask(game, build)
    expect(answer.status).toBe(202)
    expect(await readData(answer)).toEqual({ approval: 'pending' })
    expect(await readVersions(owner, game.uid)).toEqual(['linux 1.0.0'])
    const mails = await mailsAbout(game)
    expect(mails).toHaveLength(1)
    expect(mails[0]).toMatchObject({ to: owner.email, link: `${server.url}/approvals/${token}` })
    expect(mails[0]?.text).toContain('2.0.0')
    expect(mails[0]?.text).toContain('linux x86_64')
    expect(mails[0]?.text).toContain(await agentName())
    const [row] = await server.deps.db
      .select()
      .from(promotionRequests)
      .where(eq(promotionRequests.buildUid, build.uid))
    expect(row?.tokenHash).toBe(sha256Hex(token))
    expect((row?.expiresAt.getTime() ?? 0) - (row?.createdAt.getTime() ?? 0)).toBeWithin(
      72 * 3_600_000 - 5000,
      72 * 3_600_000 + 5000,
    )
  })

  test('asked ten times at once sends one mail', async () => {
    const game = await insertGame(server, owner, { name: `Star Harbour ${(count += 1)};` })
    const build = await release(server, game.uid, { channel: 'beta' })
    const answers = await Promise.all(Array.from({ length: 10 }, () => ask(game, build)))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202]))
    expect(await server.deps.db.$count(promotionRequests, eq(promotionRequests.buildUid, build.uid))).toBe(1)
  })

  test('happens when the owner confirms, once', async () => {
    const { game, token } = await askedGame()
    expect(await readData(await decide(owner, token, 'approve'))).toEqual({ approval: 'approved' })
    expect(await readVersions(owner, game.uid)).toEqual(['linux 2.0.0'])
    expect((await readHistory(owner, game.uid))[0]).toMatchObject({
      kind: 'promote',
      to_version: '2.0.0',
      moved_by: await agentName(),
    })
    expect(await readFailure(await decide(owner, token, 'approve'))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })

  test('confirmed five times at once is done once', async () => {
    const { token } = await askedGame()
    const answers = await Promise.all([1, 2, 3, 4, 5].map(() => decide(owner, token, 'approve')))
    expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 404, 404, 404, 404])
  })

  test('does not happen when the owner rejects it, and can be asked for again', async () => {
    const { game, build, token } = await askedGame()
    expect(await readData(await decide(owner, token, 'reject'))).toEqual({ approval: 'rejected' })
    expect((await decide(owner, token, 'approve')).status).toBe(404)
    expect(await readVersions(owner, game.uid)).toEqual(['linux 1.0.0'])
    await ask(game, build)
    await waitFor('The second mail', async () => (await mailsAbout(game)).length === 2)
  })

  test('needs a clean build, then and when it is approved', async () => {
    const { game, build, token } = await askedGame()
    const unclean = await insertBuild(server, game.uid, { version: '3.0.0' })
    expect(await readFailure(await ask(game, unclean))).toMatchObject({ status: 409, code: 4090 })
    await insertFile(server, build, { filename: 'more.zip', scan: 'scanning' })
    expect(await readFailure(await decide(owner, token, 'approve'))).toMatchObject({
      status: 409,
      code: 4090,
    })
    await server.deps.db.update(files).set({ scan: 'clean' }).where(eq(files.buildUid, build.uid))
    expect((await decide(owner, token, 'approve')).status).toBe(200)
  })

  test('to what stable points at already needs nobody', async () => {
    const { game, build } = await askedGame()
    await promote(owner, game.uid, build)
    expect((await ask(game, build)).status).toBe(200)
  })

  test('of an admin is decided by the owner alone', async () => {
    const admin = await signUp(server)
    const game = await insertPublicGame(server, owner, { name: `Star Harbour ${(count += 1)};` })
    await insertAdmin(server, game.uid, admin, 'accepted')
    const build = await release(server, game.uid, { channel: 'beta' })
    expect((await ask(game, build, 'stable', await agentOf(admin))).status).toBe(202)
    const mail = await waitFor('The mail', async () => (await mailsAbout(game))[0])
    expect(mail.to).toBe(owner.email)
    const token = mail.link.split('/').at(-1) ?? ''
    expect(await readFailure(await decide(admin, token, 'approve'))).toMatchObject({
      status: 403,
      code: 4030,
    })
    expect((await decide(owner, token, 'approve')).status).toBe(200)
  })
})

test('a request ends with the password of the owner', async () => {
  const { token } = await askedGame()
  const changed = 'another password of the owner'
  const change = (currentPassword: string, newPassword: string) =>
    owner.json('POST', '/api/auth/change-password', { currentPassword, newPassword })
  expect((await change(owner.password, changed)).status).toBe(200)
  expect((await decide(owner, token, 'approve')).status).toBe(404)
  expect((await change(changed, owner.password)).status).toBe(200)
})

describe('without approval', () => {
  test('an agent promotes to other channels and rolls back', async () => {
    const { game, build } = await askedGame()
    expect((await ask(game, build, 'dev')).status).toBe(200)
    const [move] = await readHistory(owner, game.uid)
    expect(move).toMatchObject({ channel: 'dev', to_version: '2.0.0' })
    expect(move?.moved_by).toBe(await agentName())
    await promote(owner, game.uid, build)
    const rollback = await server.fetch(`/api/v1/private/games/${game.uid}/channels/stable/rollback`, {
      method: 'POST',
      headers: agent,
    })
    expect(rollback.status).toBe(200)
    expect(await readVersions(owner, game.uid)).toEqual(['linux 1.0.0'])
  })
})

describe('the mailed link', () => {
  const open = (token: string) => server.fetch(`/approvals/${token}`)

  test('shows what is asked and changes nothing by being opened', async () => {
    const { game, token } = await askedGame()
    const page = await open(token)
    expect(page.status).toBe(200)
    const text = await page.text()
    const parts = [game.name, '2.0.0', 'linux x86_64', await agentName(), 'Approve', 'Reject']
    for (const part of parts) expect(text).toContain(part)
    expect(page.headers.get('cache-control')).toBe('private, no-store')
    expect(await readVersions(owner, game.uid)).toEqual(['linux 1.0.0'])
    expect((await decide(owner, token, 'approve')).status).toBe(200)
  })

  test.each([
    ['unknown', async () => 'nobody-knows-this-token'],
    [
      'used',
      async () => {
        const { token } = await askedGame()
        await decide(owner, token, 'reject')
        return token
      },
    ],
    [
      'expired',
      async () => {
        const { build, token } = await askedGame()
        await server.deps.db
          .update(promotionRequests)
          .set({ expiresAt: new Date(Date.now() - 1000) })
          .where(eq(promotionRequests.buildUid, build.uid))
        return token
      },
    ],
    [
      'about a deleted build',
      async () => {
        const { game, build, token } = await askedGame()
        await owner.json('DELETE', `/api/v1/private/games/${game.uid}/builds/${build.uid}`)
        return token
      },
    ],
  ])('is 404 when it is %s', async (_, make) => {
    const token = await make()
    expect((await open(token)).status).toBe(404)
    expect(await readFailure(await decide(owner, token, 'approve'))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })

  test('is of no use to others', async () => {
    const { token } = await askedGame()
    const stranger = await signUp(server)
    expect(await readFailure(await decide(stranger, token, 'approve'))).toMatchObject({
      status: 404,
      code: 4040,
    })
    const path = `/api/v1/private/approvals/${token}`
    const init = { method: 'POST', headers: { ...agent, 'content-type': 'application/json' }, body: '{}' }
    expect(await readFailure(await server.fetch(path, init))).toMatchObject({ status: 403, code: 4033 })
    const nobody = await server.fetch(path, { method: 'POST' })
    expect(await readFailure(nobody)).toMatchObject({ status: 401, code: 4010 })
    expect(await readFailure(await decide(owner, token, 'maybe'))).toMatchObject({ status: 400, code: 4000 })
  })
})
