import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { bugTickets } from '../../../../src/db/schema/bugs.ts'
import { reportBug } from '../../../../src/features/bugs/reports/service.ts'
import {
  createBugKey,
  drawScreenshot,
  fileTicket,
  makeForm,
  readTicket,
  report,
  setReporter,
} from '../../../helpers/bugs.ts'
import { useExtstore } from '../../../helpers/extstore/imports.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame, insertLicense, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { asAgent, obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { failureOf } from '../../../helpers/site/forms.ts'
import { insertSignInGame, insertToken } from '../../../helpers/site/sign-in.ts'

const MB = 1024 ** 2
const OFF = { status: 403, code: 4030 }
const CAPPED = { status: 429, code: 4291 }

const { server, double } = useExtstore()
let owner: Person
let player: Person
let key: string
beforeAll(async () => {
  owner = await signUp(server)
  player = await signUp(server)
  key = await createBugKey(player)
})

async function newGame(input = {}, values = {}) {
  const game = await insertPublicGame(server, owner, values)
  await setReporter(owner, game.uid, { enabled: true, ...input })
  return game
}

describe('a report from the game', () => {
  test('becomes a ticket with everything that was sent', async () => {
    const { uid } = await newGame()
    const answer = await report(server, key, uid, {
      message: '  The lamp stays dark.\n',
      client_version: '1.4.1',
      os: 'linux',
      arch: 'x86_64',
      build_id: 'b-7',
      log: 'light = 0',
      screenshot: await drawScreenshot(),
      unknown: 'ignored',
    })
    expect(answer.status).toBe(201)
    expect(answer.headers.get('ratelimit-limit')).toBe('10')
    expect(answer.headers.get('ratelimit-remaining')).toBe('9')
    const filed = await readData<{ ticket_uid: string; created_at: string }>(answer)
    const ticket = await readTicket(owner, uid, filed.ticket_uid)
    expect(ticket).toMatchObject({
      ...filed,
      status: 'open',
      message: 'The lamp stays dark.',
      client_version: '1.4.1',
      os: 'linux',
      arch: 'x86_64',
      build_id: 'b-7',
      has_log: true,
      log: 'light = 0',
      source: 'game',
      history: [],
    })
    const shown = await fetch(ticket.screenshot_url ?? '')
    expect(shown.headers.get('content-type')).toBe('image/png')
    expect(await shown.arrayBuffer()).toEqual(await (await drawScreenshot()).arrayBuffer())
  })

  test('a message is enough, and the log may be a file of any bytes', async () => {
    const { uid } = await newGame()
    const bare = await readTicket(owner, uid, await fileTicket(server, key, uid))
    expect(bare).toMatchObject({ client_version: null, has_log: false, log: null, screenshot_url: null })
    const bytes = new Uint8Array(512 * 1024).fill(255)
    bytes.set([65, 0, 255, 66])
    const log = new File([bytes], 'game.log')
    const logged = await fileTicket(server, key, uid, { message: 'x', log })
    expect((await readTicket(owner, uid, logged)).log).toStartWith('A\uFFFD\uFFFDB\uFFFD')
  })

  test('works at any visibility by uid; a hidden name is unknown', async () => {
    const game = await insertGame(server, owner)
    expect(await readFailure(await report(server, key, game.uid))).toMatchObject({ status: 404, code: 4040 })
    await setReporter(owner, game.uid)
    expect((await report(server, key, game.uid)).status).toBe(201)
    const byName = await report(server, key, game.vanityName)
    expect(await readFailure(byName)).toMatchObject({ status: 404, code: 4040 })
    const open = await newGame()
    expect((await report(server, key, open.vanityName)).status).toBe(201)
  })

  test('is refused while the reporter is off', async () => {
    const { uid } = await insertPublicGame(server, owner)
    expect(await readFailure(await report(server, key, uid))).toMatchObject(OFF)
    await setReporter(owner, uid)
    expect((await report(server, key, uid)).status).toBe(201)
    await setReporter(owner, uid, { enabled: false })
    expect(await readFailure(await report(server, key, uid))).toMatchObject(OFF)
  })

  test('needs player:bugs', async () => {
    const { uid } = await newGame()
    const made = await player.json('POST', '/api/v1/private/player-keys', { label: 'Read' })
    const { key: readKey } = await readData<{ key: string }>(made)
    const token = async (scope: string) => (await obtainToken(server, player, scope)).access_token
    expect(await readFailure(await report(server, readKey, uid))).toMatchObject({ status: 403, code: 4031 })
    expect((await report(server, await token('player:bugs'), uid)).status).toBe(201)
    const agent = await report(server, await token('mcp:bugs.write'), uid)
    expect(await readFailure(agent)).toMatchObject({ status: 403, code: 4033 })
    expect(await readFailure(await report(server, 'nonsense', uid))).toMatchObject({
      status: 401,
      code: 4010,
    })
    const none = await player.fetch(`/api/v1/games/${uid}/bugs`, {
      method: 'POST',
      body: makeForm({ message: 'x' }),
    })
    expect(await readFailure(none)).toMatchObject({ status: 401, code: 4010 })
  })
})

describe('what does not fit', () => {
  const png = new Uint8Array(32 * MB + 1)
  png.set([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

  test.each([
    ['no message', { os: 'linux' }, 400, 4000],
    ['an empty message', { message: ' \n' }, 400, 4000],
    ['a long message', { message: 'x'.repeat(4001) }, 400, 4000],
    ['a long version', { message: 'x', client_version: 'x'.repeat(65) }, 400, 4000],
    ['a long log as a field', { message: 'x', log: 'x'.repeat(512 * 1024 + 1) }, 413, 4130],
    ['a long log as a file', { message: 'x', log: new Blob(['x'.repeat(512 * 1024 + 1)]) }, 413, 4130],
    ['a large screenshot', { message: 'x', screenshot: new Blob([png]) }, 413, 4130],
    ['no image', { message: 'x', screenshot: new Blob(['GIF89a but longer']) }, 400, 4000],
    ['a screenshot as a text', { message: 'x', screenshot: 'iVBORw0KGgo=' }, 400, 4000],
    ['a tiny file', { message: 'x', screenshot: new Blob(['x']) }, 400, 4000],
  ] as const)('%s', async (_, fields, status, code) => {
    const { uid } = await newGame()
    expect(await readFailure(await report(server, key, uid, fields))).toMatchObject({ status, code })
    expect(await server.deps.db.$count(bugTickets, eq(bugTickets.gameUid, uid))).toBe(0)
    expect(await Array.fromAsync(server.deps.objects.list(`screenshots/${uid}/`))).toEqual([])
  })

  test('limits are met exactly, and counted in characters', async () => {
    const { uid } = await newGame()
    const fields = {
      message: '🔦'.repeat(4000),
      log: 'x'.repeat(512 * 1024),
      screenshot: new Blob([png.subarray(0, 32 * MB)]),
    }
    const ticket = await readTicket(owner, uid, await fileTicket(server, key, uid, fields))
    expect(ticket.log?.length).toBe(512 * 1024)
    const [stored] = await Array.fromAsync(server.deps.objects.list(`screenshots/${uid}/`))
    expect(stored?.size).toBe(32 * MB)
  })

  test('two screenshots, or two logs', async () => {
    const { uid } = await newGame()
    for (const field of ['screenshot', 'log']) {
      const form = makeForm({ message: 'x' })
      for (let n = 0; n < 2; n += 1) form.append(field, await drawScreenshot())
      const headers = { authorization: `Bearer ${key}` }
      const answer = await server.fetch(`/api/v1/games/${uid}/bugs`, { method: 'POST', headers, body: form })
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
    }
    expect(await Array.fromAsync(server.deps.objects.list(`screenshots/${uid}/`))).toEqual([])
  })
})

describe('players of the external store', () => {
  test('report with a session of the same game, until it ends', async () => {
    const game = await insertSignInGame(server, double, owner)
    const other = await insertSignInGame(server, double, owner)
    await setReporter(owner, game.gameUid)
    await setReporter(owner, other.gameUid)
    const { token, claims } = await insertToken(server, game)
    const ticket = await fileTicket(server, token, game.gameUid)
    expect(await readTicket(owner, game.gameUid, ticket)).toMatchObject({
      reporter: { username: null, extstore_id: claims.sub },
    })
    const refused = { status: 401, code: 4010 }
    expect(await readFailure(await report(server, token, other.gameUid))).toMatchObject(refused)
    const { token: old } = await insertToken(server, game, { age: 3601 })
    expect(await readFailure(await report(server, old, game.gameUid))).toMatchObject(refused)
    await game.revoke({ jti: claims.jti })
    expect(await readFailure(await report(server, token, game.gameUid))).toMatchObject(refused)
  })

  test('share the cap with the account they linked, also with what they sent before', async () => {
    const game = await insertSignInGame(server, double, owner)
    await setReporter(owner, game.gameUid, { enabled: true, daily_cap: 2 })
    const linked = await signUp(server)
    const linkedKey = await createBugKey(linked)
    const { token, claims } = await insertToken(server, game)
    await fileTicket(server, token, game.gameUid)
    await fileTicket(server, linkedKey, game.gameUid)
    await server.deps.db.update(users).set({ extstoreId: claims.sub }).where(eq(users.id, linked.uid))
    expect(await readFailure(await report(server, token, game.gameUid))).toMatchObject(CAPPED)
    expect(await readFailure(await report(server, linkedKey, game.gameUid))).toMatchObject(CAPPED)
  })
})

describe('the store page', () => {
  const send = (person: Person, uid: string) =>
    person.fetch(`/api/v1/private/games/${uid}/bugs`, {
      method: 'POST',
      body: makeForm({ message: 'From the page.' }),
    })

  test('takes reports of players with a licence, under the same cap', async () => {
    const { uid } = await newGame({ daily_cap: 2 })
    expect(await readFailure(await send(player, uid))).toMatchObject({ status: 403, code: 4030 })
    await insertLicense(server, uid, player)
    const filed = await readData<{ ticket_uid: string }>(await send(player, uid))
    expect(await readTicket(owner, uid, filed.ticket_uid)).toMatchObject({ source: 'store' })
    await fileTicket(server, key, uid)
    const capped = await send(player, uid)
    expect(Number(capped.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await readFailure(capped)).toMatchObject(CAPPED)
    expect(await readFailure(await report(server, key, uid))).toMatchObject(CAPPED)
    const otherKey = await createBugKey(owner)
    expect((await report(server, otherKey, uid)).status).toBe(201)
  })

  test('is closed while the reporter is off; programs with a licence still report, under the cap', async () => {
    const { uid } = await insertPublicGame(server, owner)
    const { clientId } = await obtainToken(server, player, 'mcp:bugs.write')
    const agent = asAgent(player.uid, clientId)
    const input = { message: 'Found while testing.', log: 'x' }
    const large = { message: 'x', log: 'x'.repeat(512 * 1024 + 1) }
    expect(await failureOf(reportBug(server.deps, agent, uid, input))).toMatchObject(OFF)
    await insertLicense(server, uid, player)
    expect(await readFailure(await send(player, uid))).toMatchObject(OFF)
    expect(await failureOf(reportBug(server.deps, agent, uid, large))).toMatchObject({ code: 4130 })
    const filed = await reportBug(server.deps, agent, uid, input)
    expect(await readTicket(owner, uid, filed.ticket_uid)).toMatchObject({
      source: 'agent',
      log: 'x',
      history: [{ from_status: null, to_status: 'open', by: expect.stringContaining('A test client for ') }],
    })
    for (let n = 1; n < 10; n += 1) await reportBug(server.deps, agent, uid, input)
    expect(await failureOf(reportBug(server.deps, agent, uid, input))).toMatchObject(CAPPED)
  })

  test('counts the reports of a UTC day', async () => {
    const { uid } = await newGame({ daily_cap: 1 })
    const ticket = await fileTicket(server, key, uid)
    const midnight = new Date(new Date().setUTCHours(0, 0, 0, 0))
    const createdAt = new Date(midnight.getTime() - 1)
    await server.deps.db.update(bugTickets).set({ createdAt }).where(eq(bugTickets.uid, ticket))
    expect((await report(server, key, uid)).status).toBe(201)
    expect(await readFailure(await report(server, key, uid))).toMatchObject(CAPPED)
  })
})
