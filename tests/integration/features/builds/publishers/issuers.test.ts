import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { createKeySets, fetchKeySet } from '../../../../../src/clients/issuers/key-sets.ts'
import { publishers } from '../../../../../src/db/schema/publishers.ts'
import { readFailure } from '../../../../helpers/json.ts'
import { insertGame } from '../../../../helpers/listings.ts'
import type { Person } from '../../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../../helpers/server.ts'
import {
  exchange,
  type Issuer,
  jobClaims,
  jobToken,
  makeKey,
  signToken,
  startIssuer,
} from '../../../../helpers/sign-in/issuer.ts'
import { signUpVerified } from '../../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../../helpers/wait.ts'

const KEYS = '/.well-known/jwks'
const DISCOVERY = '/.well-known/openid-configuration'
const ISSUERS = 7

let server: TestServer
let owner: Person
let healthy: Issuer
let broken: Issuer[]
const hanging: ((answer: Response) => void)[] = []
beforeAll(async () => {
  healthy = await startIssuer()
  broken = await Promise.all(Array.from({ length: ISSUERS }, () => startIssuer()))
  const issuers = [healthy, ...broken].map(({ url }) => url)
  server = await startTestServer({ TRUST_PROXY: '1', TRUSTED_ISSUERS: issuers.join(',') })
  owner = await signUpVerified(server)
})
afterEach(() => {
  for (const end of hanging.splice(0)) end(new Response('late'))
})
afterAll(async () => {
  await server.stop()
  await Promise.all([healthy, ...broken].map((issuer) => issuer.stop()))
})

function takeIssuer(): Issuer {
  const issuer = broken.pop()
  if (!issuer) throw new Error('Start more issuers')
  return issuer
}

async function createGame({ url }: Issuer): Promise<string> {
  const { uid } = await insertGame(server, owner)
  const values = { gameUid: uid, provider: 'github', issuer: url, repository: 'moss/garden' } as const
  await server.deps.db.insert(publishers).values(values)
  return uid
}

async function refusal(issuer: Issuer) {
  const game = await createGame(issuer)
  return await readFailure(await exchange(server, game, await jobToken(issuer, server)))
}

const hang = () => new Promise<Response>((resolve) => hanging.push(resolve))

describe('an issuer', () => {
  test('that cannot be reached is told, and asked again later', async () => {
    const issuer = takeIssuer()
    await issuer.stop()
    const failure = await refusal(issuer)
    expect(failure).toMatchObject({ status: 401, code: 4108 })
    expect(failure.message).toContain('cannot be reached')
    expect(failure.message).toContain(issuer.url)
  })

  test('that does not answer is given up within five seconds, and holds up nobody else', async () => {
    const issuer = takeIssuer()
    issuer.answer = (path) => (path === KEYS ? hang() : undefined)
    const game = await createGame(healthy)
    const tokens = await Promise.all(Array.from({ length: 5 }, () => jobToken(healthy, server)))
    let isGivenUp = false
    const slow = Promise.all([refusal(issuer), refusal(issuer)]).finally(() => (isGivenUp = true))
    await waitFor('it was asked', () => issuer.asked.includes(KEYS))
    const others = await Promise.all(tokens.map((token) => exchange(server, game, token)))
    expect(isGivenUp).toBe(false)
    expect(others.map(({ status }) => status)).toEqual([201, 201, 201, 201, 201])
    const failures = await slow
    expect(failures.map(({ code }) => code)).toEqual([4108, 4108])
    expect(failures[0].message).toContain('in time')
    expect(issuer.asked.filter((path) => path === KEYS)).toHaveLength(1)
  })

  test('with a key set of 10 MB is refused', async () => {
    const issuer = takeIssuer()
    issuer.answer = (path) =>
      path === KEYS ? Response.json({ keys: [], padding: 'x'.repeat(10 * 1024 ** 2) }) : undefined
    expect(await refusal(issuer)).toMatchObject({
      code: 4108,
      message: expect.stringContaining('more than 262144 bytes'),
    })
  })

  test('that redirects, also to an address inside, is not followed', async () => {
    const issuer = takeIssuer()
    issuer.answer = (path) => (path === KEYS ? Response.redirect(`${healthy.url}${KEYS}`, 302) : undefined)
    const before = healthy.asked.length
    expect(await refusal(issuer)).toMatchObject({
      code: 4108,
      message: expect.stringContaining('redirects'),
    })
    expect(healthy.asked).toHaveLength(before)
  })

  test('whose keys are at another port of this machine is refused', async () => {
    const issuer = takeIssuer()
    const discovery = { issuer: issuer.url, jwks_uri: `${healthy.url}${KEYS}` }
    issuer.answer = (path) => (path === DISCOVERY ? Response.json(discovery) : undefined)
    const before = healthy.asked.length
    expect(await refusal(issuer)).toMatchObject({ code: 4108, message: expect.stringContaining('jwks_uri') })
    expect(healthy.asked).toHaveLength(before)
  })

  test('that speaks for another is refused', async () => {
    const issuer = takeIssuer()
    const discovery = { issuer: healthy.url, jwks_uri: `${issuer.url}${KEYS}` }
    issuer.answer = (path) => (path === DISCOVERY ? Response.json(discovery) : undefined)
    expect(await refusal(issuer)).toMatchObject({
      code: 4108,
      message: expect.stringContaining('another issuer'),
    })
  })

  test('whose key is for another algorithm is refused', async () => {
    const issuer = takeIssuer()
    const key = await makeKey('ES256', 'first')
    issuer.keys = [key.jwk]
    expect(await refusal(issuer)).toMatchObject({ code: 4108, data: { claim: 'kid' } })
  })

  test('is asked once for its keys, and for an unknown key once a minute at most', async () => {
    const game = await createGame(healthy)
    expect((await exchange(server, game, await jobToken(healthy, server))).status).toBe(201)
    const before = healthy.asked.length
    const added = await healthy.addKey()
    const signed = () => signToken(added, jobClaims(healthy, server))
    for (let at = 0; at < 5; at += 1)
      expect(await readFailure(await exchange(server, game, await signed()))).toMatchObject({
        data: { claim: 'kid' },
      })
    expect(healthy.asked).toHaveLength(before)
  })

  test.each([
    ['inside', 'https://10.0.0.1'],
    ['on this machine with https', 'https://127.0.0.1:9'],
    ['at the metadata of a cloud', 'https://169.254.169.254'],
  ])('%s is never asked', async (_, address) => {
    expect(fetchKeySet(address)).rejects.toThrow('not on the internet')
  })
})

describe('the keys of an issuer', () => {
  const jwks = async (...kids: string[]) => ({
    keys: await Promise.all(kids.map(async (kid) => (await makeKey('ES256', kid)).jwk)),
  })

  test('are read again for a new key after a minute, together, and known ones go on meanwhile', async () => {
    let time = 0
    let reads = 0
    const gate = Promise.withResolvers<void>()
    const [first, second] = [await jwks('a'), await jwks('a', 'b')]
    const sets = createKeySets(
      async () => {
        reads += 1
        if (reads === 1) return first
        await gate.promise
        return second
      },
      () => time,
    )
    const known = await sets.find('https://ci.example', 'a')
    expect(await sets.find('https://ci.example', 'b')).toBe(known)
    expect(reads).toBe(1)
    time = 60_000
    const waiting = Array.from({ length: 10 }, () => sets.find('https://ci.example', 'b'))
    expect(await sets.find('https://ci.example', 'a')).toBe(known)
    gate.resolve()
    const found = await Promise.all(waiting)
    expect(new Set(found).size).toBe(1)
    expect(found[0]).not.toBe(known)
    expect(reads).toBe(2)
    await sets.find('https://ci.example', 'c')
    expect(reads).toBe(2)
  })
})
