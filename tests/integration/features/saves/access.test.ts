import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import { saveFaults } from '../../../../src/db/schema/saves.ts'
import { forgetAccount } from '../../../../src/features/accounts/account-cache.ts'
import { signVisit } from '../../../../src/features/saves/access/visits.ts'
import { insertBuild } from '../../../helpers/builds.ts'
import { useExtstore } from '../../../helpers/extstore/imports.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertLicense } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { releaseWeb } from '../../../helpers/play.ts'
import { callSaves, createSaveKey, newSaveGame, newSavePlayer } from '../../../helpers/saves.ts'
import { obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { insertSignInGame, insertToken } from '../../../helpers/site/sign-in.ts'

const { server, double } = useExtstore()
let owner: Person
let game: GameRow
beforeAll(async () => {
  owner = await signUp(server)
  game = await newSaveGame(server, owner)
})

const set = (uid: string, values: Partial<typeof games.$inferInsert>) =>
  server.deps.db.update(games).set(values).where(eq(games.uid, uid))
const statusOf = async (person: Person, ref: string) => {
  const answer = await callSaves(server, ref, await createSaveKey(person)).call('')
  return answer.status === 200 ? 200 : (await readFailure(answer)).code
}
const choose = (person: Person, ref: string, allowed: boolean) =>
  person.json('PUT', `/api/v1/private/games/${ref}/saves`, { allowed })
const askToken = (person: Person, ref: string) =>
  person.json('POST', `/api/v1/private/games/${ref}/saves/token`)

describe('who may use the saves of a game', () => {
  test('a key or token with the scope, and no other credential', async () => {
    const { person, saves } = await newSavePlayer(server, game)
    const { access_token } = await obtainToken(server, person, 'player:saves')
    expect((await callSaves(server, game.uid, access_token).call('')).status).toBe(200)
    expect((await saves.list()).slots).toEqual([])
    const reading = await createSaveKey(person, ['player:read', 'player:library', 'player:install'])
    const refused = await callSaves(server, game.uid, reading).call('')
    expect(await readFailure(refused)).toMatchObject({ status: 403, code: 4031 })
    const agent = (await obtainToken(server, person, 'mcp:catalog.read')).access_token
    expect(await readFailure(await callSaves(server, game.uid, agent).call(''))).toMatchObject({ code: 4033 })
    for (const bad of ['svc_play_wrong', 'svc_visit_wrong', 'x'])
      expect((await callSaves(server, game.uid, bad).call('')).status).toBe(401)
    expect((await person.fetch(`/api/v1/player/games/${game.uid}/saves`)).status).toBe(401)
  })

  test('each player sees only their own; developers and operators have no way to any', async () => {
    const [one, other] = [await newSavePlayer(server, game), await newSavePlayer(server, game)]
    const { revision } = await one.saves.write('main', 'mine', null)
    expect((await other.saves.read('main')).status).toBe(404)
    await other.saves.write('main', 'theirs', null)
    expect((await other.saves.read('main', revision)).status).toBe(404)
    expect((await other.saves.restore('main', revision)).status).toBe(404)
    expect((await other.saves.remove('main', `?revision=${revision}`)).status).toBe(404)
    const asOwner = callSaves(server, game.uid, await createSaveKey(owner))
    expect((await asOwner.list()).slots).toEqual([])
    expect((await asOwner.read('main', revision)).status).toBe(404)
    expect(await one.saves.text('main')).toBe('mine')
    const routes = server.app.routes.filter(({ path }) => path.includes('save'))
    const accesses = new Set(routes.map(({ hooks }) => (hooks.detail as Record<string, unknown>)['x-access']))
    expect(accesses).toEqual(new Set(['page', 'saver', 'website']))
  })

  test('only of a game that one may play', async () => {
    const paid = await newSaveGame(server, owner, { priceCents: 999 })
    const free = await newSaveGame(server, owner)
    const open = await newSaveGame(server, owner, { anonymousDownloads: true })
    const web = await newSaveGame(server, owner)
    await releaseWeb(server, web.uid)
    const draft = await newSaveGame(server, owner, { visibility: 'draft', savesEnabled: true })
    const adult = await newSaveGame(server, owner, { adult: true, anonymousDownloads: true })
    const player = await signUp(server)
    expect(await statusOf(player, paid.uid)).toBe(4023)
    expect(await statusOf(player, free.uid)).toBe(4030)
    expect(await statusOf(player, open.uid)).toBe(200)
    expect(await statusOf(player, web.uid)).toBe(200)
    expect(await statusOf(player, draft.uid)).toBe(4040)
    expect(await statusOf(player, adult.uid)).toBe(4030)
    expect(await statusOf(player, crypto.randomUUID())).toBe(4040)
    await insertLicense(server, paid.uid, player, { source: 'bought' })
    await insertLicense(server, free.uid, player)
    await set(paid.uid, { visibility: 'owner' })
    expect([await statusOf(player, paid.uid), await statusOf(player, free.vanityName)]).toEqual([200, 200])
    expect(await statusOf(owner, draft.uid)).toBe(200)
    const admin = await signUp(server)
    await insertAdmin(server, draft.uid, admin, 'invited')
    expect(await statusOf(admin, draft.uid)).toBe(4040)
    const takenDown = { at: new Date().toISOString(), reason: 'A test.', visibility: 'public' } as const
    await set(free.uid, { visibility: 'owner', takenDown })
    expect(await statusOf(player, free.uid)).toBe(4040)
  })

  test('while its developer keeps them on: off, they are refused and stay', async () => {
    const own = await newSaveGame(server, owner, { savesEnabled: false })
    const { saves, person } = await newSavePlayer(server, own)
    expect(await readFailure(await saves.put('main', 'x', null))).toMatchObject({ status: 403, code: 4030 })
    const switchTo = (enabled: boolean) =>
      owner.json('PATCH', `/api/v1/private/games/${own.uid}`, { saves: { enabled } })
    expect(await readData<object>(await switchTo(true))).toMatchObject({ saves: { enabled: true } })
    await saves.write('main', 'x', null)
    await switchTo(false)
    expect(await readFailure(await saves.call(''))).toMatchObject({ status: 403, code: 4030 })
    const page = await person.fetch(`/library/${own.vanityName}/saves`)
    expect([page.status, (await page.text()).includes('main')]).toEqual([200, true])
    await switchTo(true)
    expect(await saves.text('main')).toBe('x')
    const wrong = await owner.json('PATCH', `/api/v1/private/games/${own.uid}`, { saves: { enabled: 'yes' } })
    expect(wrong.status).toBe(400)
    expect(
      (await person.json('PATCH', `/api/v1/private/games/${own.uid}`, { saves: { enabled: true } })).status,
    ).toBe(403)
  })

  test('a suspended account loses them at once', async () => {
    const { saves, person } = await newSavePlayer(server, game)
    await saves.write('main', 'x', null)
    await server.deps.db.update(users).set({ suspendedAt: new Date() }).where(eq(users.id, person.uid))
    await forgetAccount(server.deps, server.deps.db, person.uid)
    expect((await saves.read('main')).status).toBe(401)
    const visit = signVisit(server.deps.keyring, { userUid: person.uid, gameUid: game.uid })
    expect((await callSaves(server, game.uid, visit.token).call('')).status).toBe(401)
  })
})

describe('the token of a visit', () => {
  test('is given after the player allowed it, for this game alone', async () => {
    const { person, saves } = await newSavePlayer(server, game)
    await saves.write('main', 'from elsewhere', null)
    const choice = await person.fetch(`/api/v1/private/games/${game.uid}/saves`)
    const asked = await readData<{ account: string }>(choice)
    const { account } = asked
    expect(asked).toMatchObject({ enabled: true, allowed: null })
    expect(await readFailure(await askToken(person, game.uid))).toMatchObject({ status: 403, code: 4030 })
    expect(await readData<object>(await choose(person, game.uid, true))).toEqual({
      account,
      enabled: true,
      allowed: true,
    })
    const made = await askToken(person, game.vanityName)
    expect(made.status).toBe(201)
    const { token, expires_at, ...more } = await readData<{ token: string; expires_at: string }>(made)
    expect<object>(more).toEqual({ account })
    expect((Date.parse(expires_at) - Date.now()) / 60_000).toBeWithin(14, 15.01)
    const visit = callSaves(server, game.uid, token)
    const { slots } = await visit.list()
    expect(slots.map(({ slot }) => slot)).toEqual(['main'])
    await visit.write('main', 'from the browser', slots[0]?.revision ?? null)
    expect(await saves.text('main')).toBe('from the browser')
    expect((await visit.remove('main')).status).toBe(200)
    expect(await readFailure(await visit.remove('main', '?bin=1'))).toMatchObject({ status: 403, code: 4030 })

    const another = await newSaveGame(server, owner)
    await insertLicense(server, another.uid, person)
    await choose(person, another.uid, true)
    for (const [path, bearer] of [
      [`/api/v1/player/games/${another.uid}/saves`, token],
      [`/api/v1/player/games/${crypto.randomUUID()}/saves`, token],
      ['/api/v1/private/follows', token],
      ['/api/v1/public/search?followed=true', token],
      [`/api/v1/player/games/${game.uid}/saves`, `${token}x`],
      [`/api/v1/player/games/${game.uid}/saves`, token.replace(game.uid, another.uid)],
    ] as const) {
      const answer = await server.fetch(path, { headers: { authorization: `Bearer ${bearer}` } })
      expect([path, answer.status]).toEqual([path, 401])
    }
    await choose(person, game.uid, false)
    expect((await visit.call('')).status).toBe(403)
    expect((await askToken(person, game.uid)).status).toBe(403)
    expect((await saves.list('?bin=1')).slots).toHaveLength(1)
  })

  test('and the answer are of the account that the page was opened by', async () => {
    const [{ person }, other] = [await newSavePlayer(server, game), await newSavePlayer(server, game)]
    const second = await newSaveGame(server, owner)
    const accountOf = async (of: Person, ref: string) =>
      (await readData<{ account: string }>(await of.fetch(`/api/v1/private/games/${ref}/saves`))).account
    const accounts = [
      await accountOf(person, game.uid),
      await accountOf(person, second.uid),
      await accountOf(other.person, game.uid),
    ]
    expect(new Set(accounts).size).toBe(3)
    expect(accounts.join()).not.toContain(person.uid.replaceAll('-', ''))
    const path = `/api/v1/private/games/${game.uid}/saves`
    const [account] = accounts
    const mistaken = await other.person.json('PUT', path, { account, allowed: true })
    expect(await readFailure(mistaken)).toMatchObject({ status: 400, code: 4000 })
    expect(await readData<object>(await other.person.fetch(path))).toMatchObject({ allowed: null })
    expect((await person.json('PUT', path, { account, allowed: true })).status).toBe(200)
  })

  test('ends after a quarter of an hour', async () => {
    const { person } = await newSavePlayer(server, game)
    await choose(person, game.uid, true)
    const { token } = signVisit(server.deps.keyring, { userUid: person.uid, gameUid: game.uid })
    const [head, user, uid, , signature] = token.split('.')
    const past = `${user}.${uid}.${Date.now() - 1}`
    const expired = `${head}.${past}.${server.deps.keyring.sign(`save-visit:${head?.slice(10)}.${past}`)}`
    expect((await callSaves(server, game.uid, token).call('')).status).toBe(200)
    expect((await callSaves(server, game.uid, expired).call('')).status).toBe(401)
    const moved = `${head}.${user}.${uid}.${Date.now() + 1e9}.${signature}`
    expect((await callSaves(server, game.uid, moved).call('')).status).toBe(401)
  })

  test('is not for a game that keeps none, nor for one that is not theirs to play', async () => {
    const off = await newSaveGame(server, owner, { savesEnabled: false })
    const paid = await newSaveGame(server, owner, { priceCents: 500 })
    const person = await signUp(server)
    await insertLicense(server, off.uid, person)
    expect((await choose(person, off.uid, true)).status).toBe(403)
    expect((await choose(person, off.uid, false)).status).toBe(200)
    expect((await choose(person, paid.uid, true)).status).toBe(402)
    const draft = await newSaveGame(server, owner, { visibility: 'draft' })
    expect((await choose(person, draft.uid, true)).status).toBe(404)
    expect((await askToken(person, draft.uid)).status).toBe(404)
    const { access_token: agent } = await obtainToken(server, person, 'mcp:catalog.read')
    const asked = await server.fetch(`/api/v1/private/games/${game.uid}/saves/token`, {
      method: 'POST',
      headers: { authorization: `Bearer ${agent}` },
    })
    expect(asked.status).toBe(403)
  })
})

describe('a session of the external store', () => {
  test('opens the saves of its game, for a player who has an account here', async () => {
    const store = await insertSignInGame(server, double, owner, { savesEnabled: true, priceCents: 999 })
    const other = await newSaveGame(server, owner)
    const person = await signUp(server)
    const { token, claims } = await insertToken(server, store)
    const saves = callSaves(server, store.gameUid, token)
    expect(await readFailure(await saves.call(''))).toMatchObject({ status: 403, code: 4030 })
    await server.deps.db.update(users).set({ extstoreId: claims.sub }).where(eq(users.id, person.uid))
    await saves.write('main', 'x', null)
    expect((await callSaves(server, other.uid, token).call('')).status).toBe(401)
    await insertLicense(server, store.gameUid, person)
    expect(await callSaves(server, store.gameUid, await createSaveKey(person)).text('main')).toBe('x')
  })
})

describe('web games', () => {
  test('may send and read what saves need from another origin', async () => {
    const path = `/api/v1/player/games/${game.uid}/saves/main`
    const preflight = await server.fetch(path, {
      method: 'OPTIONS',
      headers: { origin: `http://${game.uid}.localhost`, 'access-control-request-method': 'PUT' },
    })
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('PUT')
    const allowed = preflight.headers.get('access-control-allow-headers')?.toLowerCase() ?? ''
    for (const name of [
      'authorization',
      'if-match',
      'if-none-match',
      'x-save-device',
      'x-save-note',
      'x-checksum-sha256',
    ])
      expect(allowed).toContain(name)
    const { saves } = await newSavePlayer(server, game)
    await saves.write('main', 'x', null)
    const read = await saves.read('main')
    expect(read.headers.get('access-control-allow-origin')).toBe('*')
    const exposed = read.headers.get('access-control-expose-headers') ?? ''
    expect([exposed.includes('ETag'), exposed.includes('Retry-After')]).toEqual([true, true])
    expect((await server.fetch(path)).headers.get('access-control-allow-origin')).toBe('*')
  })

  test('name their build, so that their developer sees conflicts and failures of each', async () => {
    const own = await newSaveGame(server, owner)
    const build = await insertBuild(server, own.uid)
    const foreign = await insertBuild(server, game.uid)
    const { saves } = await newSavePlayer(server, own)
    const { revision } = await saves.write('main', 'x', null)
    for (const uid of [build.uid, build.uid, foreign.uid, 'none'])
      await saves.put('main', 'late', null, { 'x-build-id': uid })
    await saves.put('main', 'broken', revision, {
      'x-build-id': build.uid,
      'x-checksum-sha256': '0'.repeat(64),
    })
    const rows = await server.deps.db.select().from(saveFaults).where(eq(saveFaults.gameUid, own.uid))
    const counted = new Map(rows.map((row) => [row.buildUid, [row.conflicts, row.failures]]))
    expect(counted).toEqual(
      new Map([
        [build.uid, [2, 1]],
        [null, [2, 0]],
      ]),
    )
  })
})
