import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { type ExtStore, ExtStoreFailure } from '../../../src/clients/extstore/client.ts'
import { openExtStore } from '../../../src/clients/extstore/open.ts'
import { redact } from '../../../src/lib/text/redact.ts'
import { type ExtStoreDouble, startExtStoreDouble } from '../../helpers/ext-store-double/double.ts'
import type { Fault, FaultPoint } from '../../helpers/ext-store-double/state.ts'

const KEY = '0123456789ABCDEF0123456789ABCDEF'
const APP = 480
const PLAYER = '76561198000000001'
const OWNER = '76561197960287930'
const IDENTITY = `svc_${'a'.repeat(32)}`

let double: ExtStoreDouble
let store: ExtStore
beforeAll(async () => {
  double = await startExtStoreDouble()
  double.addKey(KEY, [APP, 481])
  store = open()
})
afterEach(() => double.heal())
afterAll(() => double.stop())

function open(timeoutMs?: number): ExtStore {
  const { origin } = double
  const addresses = {
    apiUrl: origin,
    partnerUrl: origin,
    storeUrl: origin,
    openidUrl: `${origin}/openid/login`,
  }
  return openExtStore(addresses, timeoutMs)
}

async function failureOf(work: Promise<unknown>): Promise<ExtStoreFailure> {
  const error = await work.then(
    () => null,
    (reason: unknown) => reason,
  )
  if (!(error instanceof ExtStoreFailure)) throw new Error('It did not fail as it should', { cause: error })
  return error
}

const authenticate = (ticket: string, identity = IDENTITY, appId = APP) =>
  store.authenticateTicket(KEY, { appId, ticket, identity })

describe('a ticket', () => {
  test('names the player, and always goes with the identity', async () => {
    const ticket = double.issueTicket({ appId: APP, extstoreId: PLAYER, identity: IDENTITY })
    expect(await authenticate(ticket)).toEqual({
      extstoreId: PLAYER,
      ownerExtstoreId: PLAYER,
      vacBanned: false,
      publisherBanned: false,
    })
    expect(double.requests.at(-1)).toEqual({
      point: 'authenticate',
      method: 'GET',
      path: '/ISteamUserAuth/AuthenticateUserTicket/v1/',
      params: { key: KEY, appid: String(APP), ticket, identity: IDENTITY },
    })
  })

  test('of a borrowed game names the owner too, and bans are told', async () => {
    const ticket = double.issueTicket({
      appId: APP,
      extstoreId: PLAYER,
      identity: IDENTITY,
      ownerExtstoreId: OWNER,
      vacBanned: true,
      publisherBanned: true,
    })
    expect(await authenticate(ticket)).toEqual({
      extstoreId: PLAYER,
      ownerExtstoreId: OWNER,
      vacBanned: true,
      publisherBanned: true,
    })
  })

  test('that is unknown, for another identity or for another app is refused', async () => {
    const ticket = double.issueTicket({ appId: APP, extstoreId: PLAYER, identity: IDENTITY })
    expect(await authenticate('00ff')).toBeNull()
    expect(await authenticate(ticket, `svc_${'b'.repeat(32)}`)).toBeNull()
    expect(await authenticate(ticket, IDENTITY, 481)).toBeNull()
  })
})

describe('ownership', () => {
  const ask = (extstoreId: string) => store.checkOwnership(KEY, { appId: APP, extstoreId })

  test.each([
    ['own', { owns: true }, { ownsApp: true, permanent: true, ownerExtstoreId: '1' }],
    [
      'borrowed',
      { owns: true, ownerExtstoreId: OWNER },
      { ownsApp: true, permanent: false, ownerExtstoreId: OWNER },
    ],
    ['none', { owns: false }, { ownsApp: false, permanent: false, ownerExtstoreId: '0' }],
  ])('%s', async (_, known, expected) => {
    double.setOwnership({ appId: APP, extstoreId: '1', ...known })
    expect(await ask('1')).toEqual(expected)
  })
})

describe('the apps of a key', () => {
  test('are those the store lists', async () => {
    expect(await store.coversApp(KEY, APP)).toBe(true)
    expect(await store.coversApp(KEY, 700_010)).toBe(false)
  })

  test('a list with nothing but null covers nothing', async () => {
    const key = 'E'.repeat(32)
    double.addKey(key, [])
    expect(await store.coversApp(key, APP)).toBe(false)
  })

  test('an unknown key is refused', async () => {
    expect((await failureOf(store.coversApp('F'.repeat(32), APP))).reason).toBe('key_refused')
  })
})

const questions: Record<Exclude<FaultPoint, 'image'>, (store: ExtStore) => Promise<unknown>> = {
  authenticate: (asked) => asked.authenticateTicket(KEY, { appId: APP, ticket: '00', identity: IDENTITY }),
  ownership: (asked) => asked.checkOwnership(KEY, { appId: APP, extstoreId: PLAYER }),
  appList: (asked) => asked.coversApp(KEY, APP),
  appDetails: (asked) => asked.readApp(700_010),
  items: (asked) => asked.readApp(700_010),
  tags: (asked) => asked.readApp(700_010),
  openid: (asked) => asked.openid.confirm(...signedIn()),
}

function signedIn(): [URLSearchParams, string] {
  const returnTo = 'http://127.0.0.1/callback?state=x'
  return [new URL(double.signIn({ returnTo, extstoreId: PLAYER })).searchParams, returnTo]
}

describe('a store that fails', () => {
  const faults: Fault[] = [
    ...(['hang', 'reset', 'half', 'null', 'not_json', '429', '500', 'html401', 'html403'] as const),
  ]
  const rows = faults.flatMap((fault) =>
    Object.entries(questions).map(([point, ask]) => [point as FaultPoint, fault, ask] as const),
  )

  test.each(rows)('%s: %s', async (point, fault, ask) => {
    const takesKey = ['authenticate', 'ownership', 'appList'].includes(point)
    double.fail(point, fault)
    const failure = await failureOf(ask(fault === 'hang' ? open(300) : open()))
    expect(failure.reason).toBe(takesKey && fault.startsWith('html') ? 'key_refused' : 'no_answer')
    const told = JSON.stringify(redact({ error: failure })) + Bun.inspect(failure) + failure.stack
    expect(told).not.toContain(KEY)
    expect(told).not.toContain(double.origin)
  })

  test('that is not there', async () => {
    const away = 'http://127.0.0.1:1'
    const nobody = openExtStore({ apiUrl: away, partnerUrl: away, storeUrl: away, openidUrl: away })
    const failure = await failureOf(nobody.coversApp(KEY, APP))
    expect(failure.reason).toBe('no_answer')
    expect(Bun.inspect(failure)).not.toContain(KEY)
  })

  test('that is slow, but not too slow, is waited for', async () => {
    double.fail('appList', 'slow')
    expect(await store.coversApp(KEY, APP)).toBe(true)
  })

  test('a lost connection is tried again once, a slow answer never', async () => {
    const asked = (point: FaultPoint) => double.requests.filter((request) => request.point === point).length
    double.fail('appList', 'half', 1)
    expect(await store.coversApp(KEY, APP)).toBe(true)

    const before = asked('ownership')
    double.fail('ownership', 'hang')
    // Long enough for the request to arrive on a busy machine.
    await failureOf(open(1000).checkOwnership(KEY, { appId: APP, extstoreId: PLAYER }))
    expect(asked('ownership')).toBe(before + 1)
  })

  test.each([
    ['answers without end', () => new Response(`"${'x'.repeat(9 * 1024 * 1024)}"`)],
    ['sends us elsewhere', () => Response.redirect(`${double.origin}/x?key=${KEY}`, 302)],
    ['answers half a story', () => Response.json({ applist: null })],
  ])('that %s', async (_, answer) => {
    const other = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
    const origin = other.url.origin
    const before = double.requests.length
    const asked = openExtStore({ apiUrl: origin, partnerUrl: origin, storeUrl: origin, openidUrl: origin })
    expect((await failureOf(asked.coversApp(KEY, APP))).reason).toBe('no_answer')
    expect(double.requests.length).toBe(before)
    await other.stop(true)
  })
})
