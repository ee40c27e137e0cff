import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'
import { decodeJwt, decodeProtectedHeader } from 'jose'

import { users } from '../../../../src/db/schema/accounts.ts'
import { extstoreRevocations, extstoreSessions } from '../../../../src/db/schema/extstore.ts'
import { VISIBILITIES } from '../../../../src/domain/listings/visibility.ts'
import { deleteOldSessions } from '../../../../src/features/extstore/sign-in/sessions.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { insertBareGame } from '../../../helpers/bare-game.ts'
import { useExtstore } from '../../../helpers/extstore/imports.ts'
import { readFailure } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { insertSignInGame, newExtstoreId, type SignInGame } from '../../../helpers/site/sign-in.ts'
import { useStore } from '../../../helpers/store.ts'

describe('signing in', () => {
  const { server, double } = useExtstore({ ISSUER: 'https://issuer.example' })
  let owner: Person
  let game: SignInGame
  beforeAll(async () => {
    owner = await signUp(server)
    game = await insertSignInGame(server, double, owner)
  })

  const seconds = (moment: string) => new Date(moment).getTime() / 1000

  describe('a token', () => {
    test('is issued for a good ticket of an owner, with the claims of the law and no more', async () => {
      const extstoreId = newExtstoreId()
      const answer = await game.auth(game.ticket({ extstoreId }))
      expect(answer.status).toBe(200)
      expect(answer.headers.get('access-control-allow-origin')).toBe('*')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      const signedIn = await game.signIn({ extstoreId })
      expect(Object.keys(signedIn).toSorted()).toEqual([
        'expires_at',
        'extstore_id',
        'family_shared',
        'session_uid',
        'token',
      ])
      expect(signedIn).toMatchObject({ extstore_id: extstoreId, family_shared: false })
      expect(decodeProtectedHeader(signedIn.token)).toEqual({ alg: 'HS512', typ: 'JWT' })
      const claims = decodeJwt(signedIn.token)
      expect(claims).toEqual({
        iss: 'https://issuer.example',
        aud: `extstore:${game.appId}`,
        gid: game.gameUid,
        sub: extstoreId,
        own: true,
        vac: false,
        jti: signedIn.session_uid,
        iat: expect.any(Number),
        exp: seconds(signedIn.expires_at),
      })
      expect((claims.exp ?? 0) - (claims.iat ?? 0)).toBe(3600)
    })

    test('leaves a record: who, whose copy, which user, until when, from where; no ticket', async () => {
      const person = await signUp(server)
      const [extstoreId, ownerExtstoreId] = [newExtstoreId(), newExtstoreId()]
      await server.deps.db.update(users).set({ extstoreId }).where(eq(users.id, person.uid))
      const signedIn = await game.signIn({ extstoreId, ownerExtstoreId })
      const [row] = await server.deps.db
        .select()
        .from(extstoreSessions)
        .where(eq(extstoreSessions.uid, signedIn.session_uid))
      expect(row).toEqual({
        uid: signedIn.session_uid,
        gameUid: game.gameUid,
        extstoreId,
        ownerExtstoreId,
        userUid: person.uid,
        ip: expect.stringMatching(/^10\.\d+\.\d+\.\d+$/),
        createdAt: expect.any(Date),
        expiresAt: new Date(signedIn.expires_at),
        revokedAt: null,
      })
    })

    test('of a borrowed game names the owner of the copy', async () => {
      const ownerExtstoreId = newExtstoreId()
      const signedIn = await game.signIn({ ownerExtstoreId })
      expect(signedIn.family_shared).toBe(true)
      expect(decodeJwt(signedIn.token)).toMatchObject({ sub: signedIn.extstore_id, osid: ownerExtstoreId })
    })

    test('tells of an anti-cheat ban, which refuses nobody', async () => {
      expect(decodeJwt((await game.signIn({ vacBanned: true })).token).vac).toBe(true)
    })

    test('names the user here who linked the account', async () => {
      const person = await signUp(server)
      const extstoreId = newExtstoreId()
      await server.deps.db.update(users).set({ extstoreId }).where(eq(users.id, person.uid))
      const signedIn = await game.signIn({ extstoreId })
      expect(signedIn.svc_user_uid).toBe(person.uid)
      expect(decodeJwt(signedIn.token).buid).toBe(person.uid)
    })

    test.each(VISIBILITIES)('is issued while the page is %s', async (visibility) => {
      const own = await insertSignInGame(server, double, owner, { visibility })
      expect((await own.auth(own.ticket())).status).toBe(200)
    })

    test('is issued under the vanity name too, and under a uid in capitals', async () => {
      expect((await game.auth(game.ticket(), game.vanityName)).status).toBe(200)
      expect((await game.auth(game.ticket(), game.gameUid.toUpperCase())).status).toBe(200)
    })

    test('is asked for with the ticket key as identity, always', async () => {
      const ticket = game.ticket()
      await game.auth(ticket)
      const asked = double.requests.find(({ params }) => params.ticket === ticket)
      expect(asked?.params).toMatchObject({ identity: game.ticketKey, appid: String(game.appId) })
    })
  })

  describe('no token is issued', () => {
    const malformed = [
      ['an empty ticket', ''],
      ['a ticket that is not hex', 'ab cd'],
      ['hex with a prefix', '0xabcd'],
      ['half a byte', 'abc'],
      ['a ticket of more than 5120 characters', 'ab'.repeat(2561)],
    ] as const
    test.each(malformed)('for %s: 400/4246, and the store is not asked', async (_, ticket) => {
      const before = double.requests.length
      expect(await readFailure(await game.auth(ticket))).toMatchObject({ status: 400, code: 4246 })
      expect(double.requests.length).toBe(before)
    })

    test('a ticket of 5120 characters is asked for', async () => {
      expect(await readFailure(await game.auth('ab'.repeat(2560)))).toMatchObject({ status: 401, code: 4246 })
    })

    const refused = [
      ['that the store does not know', () => 'abcd'],
      ['made for another identity', () => game.ticket({ identity: `svc_${'0'.repeat(32)}` })],
      ['of another app', () => game.ticket({ appId: 1 })],
    ] as const
    test.each(refused)('for a ticket %s: 401/4246', async (_, ticket) => {
      expect(await readFailure(await game.auth(ticket()))).toMatchObject({ status: 401, code: 4246 })
    })

    test('to who does not own the game: 403/4247', async () => {
      const extstoreId = newExtstoreId()
      const ticket = game.ticket({ extstoreId })
      double.setOwnership({ appId: game.appId, extstoreId, owns: false })
      expect(await readFailure(await game.auth(ticket))).toMatchObject({ status: 403, code: 4247 })
    })

    test('to who has a publisher ban: 403/4247', async () => {
      const banned = game.ticket({ publisherBanned: true })
      expect(await readFailure(await game.auth(banned))).toMatchObject({ status: 403, code: 4247 })
    })

    const faults = ['html401', 'html403', '500', '429', 'not_json', 'null', 'half', 'reset'] as const
    const points = ['authenticate', 'ownership'] as const
    const rows = points.flatMap((point) => faults.map((fault) => [point, fault] as const))
    test.each(rows)('when the store fails at %s with %s: 502/4243', async (point, fault) => {
      double.fail(point, fault)
      const answer = await readFailure(await game.auth(game.ticket()))
      double.heal()
      expect(answer).toMatchObject({ status: 502, code: 4243 })
      expect(answer.message).not.toContain(game.webApiKey)
    })

    test('while sign-in is off or the listing not linked: 404/4245; for an unknown listing 404/4040', async () => {
      const unlinked = await insertGame(server, owner, { visibility: 'public' })
      expect(await readFailure(await game.auth('abcd', unlinked.uid))).toMatchObject({
        status: 404,
        code: 4245,
      })
      for (const ref of ['no-such-game', crypto.randomUUID()]) {
        expect(await readFailure(await game.auth('abcd', ref))).toMatchObject({ status: 404, code: 4040 })
      }
    })

    const bodies = [{}, { ticket: 5 }, { ticket: 'abcd', more: 1 }]
    test.each(bodies)('for the body %j: 400/4000', async (body) => {
      const answer = await server.fetch(`/api/v1/extstore/${game.gameUid}/auth`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': '10.9.9.9' },
        body: JSON.stringify(body),
      })
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
    })
  })

  test('a listing that is deleted while players sign in: each of them gets a token or hears that it is gone', async () => {
    for (let round = 0; round < 5; round += 1) {
      const leaving = await insertSignInGame(server, double, owner, { visibility: 'draft' })
      const tickets = Array.from({ length: 8 }, () => leaving.ticket())
      const [deleted, ...answers] = await Promise.all([
        owner.json('DELETE', `/api/v1/private/games/${leaving.gameUid}`),
        ...tickets.map((ticket) => leaving.auth(ticket)),
      ])
      expect(deleted.status).toBe(200)
      for (const { status } of answers) expect([200, 404]).toContain(status)
    }
  })
})

describe('retention', () => {
  const server = useStore()
  let gameUid: string
  beforeAll(async () => {
    gameUid = await insertBareGame(server.deps.db)
  })

  const NOW = new Date('2026-06-01T12:00:00.000Z')
  const DAY_MS = 24 * 60 * 60 * 1000
  const HOUR_MS = 60 * 60 * 1000
  const before = (ms: number) => new Date(NOW.getTime() - ms)
  const sweep = () => deleteOldSessions(server.deps, new AbortController().signal, NOW)
  const session = (expiresAt: Date) => ({
    uid: createUid(),
    gameUid,
    extstoreId: '76561198000000000',
    ip: '10.0.0.1',
    createdAt: new Date(expiresAt.getTime() - HOUR_MS),
    expiresAt,
  })

  test('a session is forgotten 30 days after its token expired, not earlier', async () => {
    const kept = [before(-HOUR_MS), before(29 * DAY_MS), before(30 * DAY_MS)].map(session)
    const due = [before(30 * DAY_MS + 1), before(90 * DAY_MS)].map(session)
    await server.deps.db.insert(extstoreSessions).values([...kept, ...due])
    expect(await sweep()).toBe(due.length)
    const rows = await server.deps.db.select({ uid: extstoreSessions.uid }).from(extstoreSessions)
    expect(rows.map(({ uid }) => uid).toSorted()).toEqual(kept.map(({ uid }) => uid).toSorted())
  })

  test('however many they are', async () => {
    const old = Array.from({ length: 6000 }, () => session(before(40 * DAY_MS)))
    for (let from = 0; from < old.length; from += 2000) {
      await server.deps.db.insert(extstoreSessions).values(old.slice(from, from + 2000))
    }
    expect(await sweep()).toBe(old.length)
    expect(await sweep()).toBe(0)
  })

  test('a revocation stays as long as a session it ended may be there', async () => {
    const rows = [
      { gameUid, extstoreId: 'kept', revokedAt: before(30 * DAY_MS + HOUR_MS) },
      { gameUid, extstoreId: 'due', revokedAt: before(30 * DAY_MS + HOUR_MS + 1) },
    ]
    await server.deps.db.insert(extstoreRevocations).values(rows)
    await sweep()
    const left = await server.deps.db
      .select({ extstoreId: extstoreRevocations.extstoreId })
      .from(extstoreRevocations)
      .where(eq(extstoreRevocations.gameUid, gameUid))
    expect(left).toEqual([{ extstoreId: 'kept' }])
  })
})
