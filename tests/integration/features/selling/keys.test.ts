import { beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { keyBatches, licenseKeys } from '../../../../src/db/schema/selling.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import type { LibraryItem } from '../../../../src/features/community/library/model.ts'
import {
  KEY_LABEL_MAX,
  KEYS_PER_BATCH_MAX,
  OPEN_KEYS_MAX,
  UNUSED_BATCHES_MAX,
} from '../../../../src/features/selling/keys/model.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../../src/lib/ids.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertAdmin, insertGame, insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import {
  addEdition,
  findLicense,
  keysPath,
  makeCode,
  makeKeys,
  readBatches,
  redeem,
} from '../../../helpers/selling/selling.ts'
import { ageConfirmation } from '../../../helpers/sign-in/factors.ts'
import { submitForm } from '../../../helpers/site/studio.ts'
import { useLoggedStore } from '../../../helpers/store.ts'

// Without STRIPE_SECRET_KEY: keys need no payments.
const server = useLoggedStore({ TRUST_PROXY: '1', METRICS_PORT: '0' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
})

const insertPaid = (values: Partial<GameRow> = {}) =>
  insertPublicGame(server, owner, { priceCents: 999, ...values })

async function refuse(answer: Response | Promise<Response>): Promise<[number, number]> {
  const { status, code } = await readFailure(await answer)
  return [status, code]
}

const WRONG: [number, number] = [404, 4119]
const OWNED: [number, number] = [409, 4117]

describe('making keys', () => {
  test('needs a session that was confirmed lately, on the page too', async () => {
    const maker = await signUp(server)
    const game = await insertPublicGame(server, maker)
    await ageConfirmation(server, maker)
    expect(await refuse(maker.json('POST', keysPath(game.uid), { count: 1, label: 'Press' }))).toEqual([
      403, 4106,
    ])
    const page = await submitForm(maker, `/studio/${game.vanityName}/keys`, { count: '1', label: 'Press' })
    expect(page.headers.get('location')).toContain('/confirm')
    expect(await readBatches(maker, game.uid)).toEqual([])
  })

  test('the codes are shown once, and only their hashes are stored', async () => {
    const game = await insertPaid()
    const edition_uid = await addEdition(server, game.uid)
    const expires_at = new Date(Date.now() + 60_000).toISOString()
    const input = { count: 3, label: '  Press, spring ', edition_uid, expires_at }
    const { codes, ...batch } = await makeKeys(owner, game.uid, input)
    expect(new Set(codes).size).toBe(3)
    for (const code of codes) expect(code).toMatch(/^([0-9A-HJKMNP-TV-Z]{5}-){3}[0-9A-HJKMNP-TV-Z]{5}$/)
    expect(batch).toMatchObject({
      label: 'Press, spring',
      edition: { uid: edition_uid, name: 'Deluxe' },
      count: 3,
      open: 3,
      redeemed: 0,
      expires_at,
      ended_at: null,
      redemptions: [],
    })
    const rows = await server.deps.db.select().from(licenseKeys).where(eq(licenseKeys.batchUid, batch.uid))
    const hashes = codes.map((code) => sha256Hex(code.replaceAll('-', '')))
    expect(rows.map(({ codeHash }) => codeHash).toSorted()).toEqual(hashes.toSorted())
    expect(await readBatches(owner, game.uid)).toEqual([batch])
    await redeem(await signUp(server), codes[0] ?? '')
    const written = JSON.stringify([server.lines, rows, await readBatches(owner, game.uid)])
    for (const code of codes)
      for (const shape of [code, code.replaceAll('-', '')]) expect(written).not.toContain(shape)
  })

  test.each<[string, object]>([
    ['no key', { count: 0 }],
    ['too many', { count: KEYS_PER_BATCH_MAX + 1 }],
    ['half a key', { count: 1.5 }],
    ['no label', { label: ' ' }],
    ['a long label', { label: 'x'.repeat(KEY_LABEL_MAX + 1) }],
    ['an edition of another listing', { edition_uid: createUid() }],
    ['a time that is over', { expires_at: '2020-01-01T00:00:00.000Z' }],
    ['a leap second', { expires_at: '2030-12-31T23:59:60Z' }],
    ['a field that is none', { codes: ['A'] }],
  ])('refuses %s', async (_, input) => {
    const game = await insertPaid()
    const answer = owner.json('POST', keysPath(game.uid), { count: 1, label: 'Press', ...input })
    expect(await refuse(answer)).toEqual([400, 4000])
    expect(await readBatches(owner, game.uid)).toEqual([])
  })

  test('a game has at most 10,000 keys that can be redeemed, however many make them at once', async () => {
    const game = await insertPaid()
    const full = { count: KEYS_PER_BATCH_MAX, label: 'Many' }
    const answers = await Promise.all(
      Array.from({ length: OPEN_KEYS_MAX / KEYS_PER_BATCH_MAX + 1 }, () =>
        owner.json('POST', keysPath(game.uid), full),
      ),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(OPEN_KEYS_MAX / KEYS_PER_BATCH_MAX)
    const one = { count: 1, label: 'One more' }
    const refused = await readFailure(await owner.json('POST', keysPath(game.uid), one))
    expect(refused).toMatchObject({ status: 400, code: 4000 })
    expect(refused.message).toContain('Delete a batch')
    // Neither what expired nor what was deleted takes room.
    const [first, second] = await readBatches(owner, game.uid)
    await expire(first?.uid ?? '')
    expect((await owner.json('POST', keysPath(game.uid), full)).status).toBe(201)
    expect((await owner.json('POST', keysPath(game.uid), one)).status).toBe(400)
    await owner.json('DELETE', `${keysPath(game.uid)}/${second?.uid}`)
    expect((await owner.json('POST', keysPath(game.uid), one)).status).toBe(201)
  })

  test('batches that nobody redeemed anything of are bounded too', async () => {
    const game = await insertPaid()
    const batch = { gameUid: game.uid, label: 'x', count: 1, expiresAt: new Date(0) }
    const rows = Array.from({ length: UNUSED_BATCHES_MAX }, () => batch)
    await server.deps.db.insert(keyBatches).values(rows)
    const answer = await owner.json('POST', keysPath(game.uid), { count: 1, label: 'Press' })
    expect(await refuse(answer)).toEqual([400, 4000])
  })

  test('an account makes at most 20,000 a minute, however many games it has and batches it deletes', async () => {
    const studio = await signUp(server)
    const make = async (uid: string) =>
      await studio.json('POST', keysPath(uid), { count: KEYS_PER_BATCH_MAX, label: 'Many' })
    const full = OPEN_KEYS_MAX / KEYS_PER_BATCH_MAX
    for (let made = 0; made < LIMITS.license_keys.max; made += OPEN_KEYS_MAX) {
      const game = await insertGame(server, studio)
      const answers = await Promise.all(Array.from({ length: full }, () => make(game.uid)))
      expect(answers.map(({ status }) => status)).toEqual(Array.from({ length: full }, () => 201))
    }
    const refused = await make((await insertGame(server, studio)).uid)
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(1, 61)
    expect(await refuse(refused)).toEqual([429, 4290])
  })

  test('owner and admins see who redeemed when, by username, until the account is deleted', async () => {
    const game = await insertPaid()
    const admin = await signUp(server)
    await insertAdmin(server, game.uid, admin, 'accepted')
    const { codes } = await makeKeys(admin, game.uid, { count: 2 })
    const player = await signUp(server)
    expect((await redeem(player, codes[1] ?? '')).status).toBe(200)
    const { username } = await readData<{ username: string }>(await player.fetch('/api/v1/private/me'))
    for (const person of [owner, admin])
      expect(await readBatches(person, game.uid)).toMatchObject([
        { count: 2, open: 1, redeemed: 1, redemptions: [{ username, redeemed_at: expect.any(String) }] },
      ])
    expect(await refuse(player.fetch(keysPath(game.uid)))).toEqual([403, 4030])
    await player.json('DELETE', '/api/v1/private/me', { password: player.password })
    expect(await readBatches(owner, game.uid)).toMatchObject([
      { open: 1, redeemed: 1, redemptions: [{ username: null }] },
    ])
    expect(await refuse(redeem(await signUp(server), codes[1] ?? ''))).toEqual(WRONG)
  })
})

async function expire(batchUid: string): Promise<void> {
  await server.deps.db
    .update(keyBatches)
    .set({ expiresAt: new Date(Date.now() - 1) })
    .where(eq(keyBatches.uid, batchUid))
}

describe('redeeming', () => {
  test('gives a licence and the game, however the code is typed', async () => {
    const game = await insertPaid()
    const code = await makeCode(owner, game.uid)
    const typed = ` ${code.toLowerCase().replaceAll('-', ' – ').replaceAll('0', 'o').replaceAll('1', 'l')}\t`
    const player = await signUp(server)
    const answer = await redeem(player, typed)
    expect(answer.status).toBe(200)
    expect(await readData<LibraryItem>(answer)).toMatchObject({
      source: 'key',
      game: { uid: game.uid, vanity_name: game.vanityName },
    })
    expect(await findLicense(server, player, game.uid)).toMatchObject({ source: 'key', editionUid: null })
  })

  test('wrong, used, expired and withdrawn codes have one answer', async () => {
    const game = await insertPaid()
    const { uid, codes } = await makeKeys(owner, game.uid, { count: 2 })
    const [used = '', withdrawn = ''] = codes
    await redeem(await signUp(server), used)
    const [expired = ''] = await makeKeys(owner, game.uid).then(async (batch) => {
      await expire(batch.uid)
      return batch.codes
    })
    expect((await owner.json('DELETE', `${keysPath(game.uid)}/${uid}`)).status).toBe(200)
    const player = await signUp(server)
    const said = new Set<string>()
    for (const code of ['', 'x', 'U'.repeat(20), '0'.repeat(20), `${used}0`, used, withdrawn, expired]) {
      const { status, code: wire, message } = await readFailure(await redeem(player, code))
      expect([status, wire]).toEqual(WRONG)
      said.add(message)
    }
    expect(said.size).toBe(1)
    expect(await findLicense(server, player, game.uid)).toBeNull()
  })

  test('deleting a batch leaves what was redeemed, twice too, and nothing of one that nobody redeemed', async () => {
    const game = await insertPaid()
    const { uid, codes } = await makeKeys(owner, game.uid, { count: 5 })
    const player = await signUp(server)
    await redeem(player, codes[0] ?? '')
    const end = () => owner.json('DELETE', `${keysPath(game.uid)}/${uid}`)
    expect([(await end()).status, (await end()).status]).toEqual([200, 200])
    expect(await readBatches(owner, game.uid)).toMatchObject([
      { uid, count: 5, open: 0, redeemed: 1, ended_at: expect.any(String) },
    ])
    expect(await findLicense(server, player, game.uid)).toMatchObject({ source: 'key' })
    const other = await insertPaid()
    const unused = await makeKeys(owner, other.uid)
    expect((await owner.json('DELETE', `${keysPath(game.uid)}/${unused.uid}`)).status).toBe(404)
    expect((await owner.json('DELETE', `${keysPath(other.uid)}/${unused.uid}`)).status).toBe(200)
    expect(await readBatches(owner, other.uid)).toEqual([])
  })

  test('who owns it keeps the code for somebody else', async () => {
    const game = await insertPaid()
    const { codes } = await makeKeys(owner, game.uid, { count: 2 })
    const [first = '', second = ''] = codes
    const player = await signUp(server)
    expect((await redeem(player, first)).status).toBe(200)
    expect(await refuse(redeem(player, second))).toEqual(OWNED)
    // Owner and admins have it without a licence.
    expect(await refuse(redeem(owner, second))).toEqual(OWNED)
    expect((await redeem(await signUp(server), second)).status).toBe(200)
  })

  test('a code for an edition adds it to what the player has, once', async () => {
    const game = await insertPaid({ priceCents: 0 })
    const edition_uid = await addEdition(server, game.uid)
    const { codes } = await makeKeys(owner, game.uid, { count: 2, edition_uid })
    const player = await signUp(server)
    await player.json('POST', `/api/v1/private/games/${game.uid}/claim`)
    expect((await redeem(player, codes[0] ?? '')).status).toBe(200)
    expect(await findLicense(server, player, game.uid)).toMatchObject({
      source: 'key',
      editionUid: edition_uid,
    })
    expect(await refuse(redeem(player, codes[1] ?? ''))).toEqual(OWNED)
    expect(await refuse(redeem(player, await makeCode(owner, game.uid)))).toEqual(OWNED)
  })

  test('works for a draft, not for a page that was taken down, and asks for adult content', async () => {
    const draft = await insertGame(server, owner)
    const player = await signUp(server)
    const given = await readData<LibraryItem>(await redeem(player, await makeCode(owner, draft.uid)))
    expect(given).toMatchObject({ source: 'key', game: { uid: draft.uid, name: draft.name, url: null } })
    const down = await insertPaid()
    const code = await makeCode(owner, down.uid)
    const takenDown = { reason: 'Spam.', at: new Date().toISOString(), visibility: 'public' } as const
    await server.deps.db.update(games).set({ takenDown, visibility: 'owner' }).where(eq(games.uid, down.uid))
    expect(await refuse(redeem(player, code))).toEqual(WRONG)
    const adult = await makeCode(owner, (await insertPaid({ adult: true })).uid)
    expect(await refuse(redeem(player, adult))).toEqual([403, 4030])
    await player.json('PATCH', '/api/v1/private/me', { adult_content: true })
    expect((await redeem(player, adult)).status).toBe(200)
  })

  test('of 50 people with one code at once, one wins', async () => {
    const game = await insertPaid()
    const code = await makeCode(owner, game.uid)
    const people = await Promise.all(Array.from({ length: 50 }, () => signUp(server)))
    const answers = await Promise.all(people.map((person) => redeem(person, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    for (const answer of answers) if (answer.status !== 200) expect(await refuse(answer)).toEqual(WRONG)
    expect(await readBatches(owner, game.uid)).toMatchObject([{ open: 0, redeemed: 1 }])
  })

  test.each(['the listing', 'an edition'])('of ten codes for %s at once, a person uses one', async (what) => {
    const game = await insertPaid()
    const edition = what === 'an edition' && { edition_uid: await addEdition(server, game.uid) }
    const { codes } = await makeKeys(owner, game.uid, { count: LIMITS.redeem.max, ...edition })
    const player = await signUp(server)
    const answers = await Promise.all(codes.map((code) => redeem(player, code)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(codes.length - 1)
    expect(await readBatches(owner, game.uid)).toMatchObject([{ redeemed: 1 }])
  })

  test('a batch that is deleted while it is redeemed gives all or nothing', async () => {
    const game = await insertPaid()
    const { uid, codes } = await makeKeys(owner, game.uid, { count: 10 })
    const people = await Promise.all(codes.map(() => signUp(server)))
    const [deleted, ...answers] = await Promise.all([
      owner.json('DELETE', `${keysPath(game.uid)}/${uid}`),
      ...people.map((person, at) => redeem(person, codes[at] ?? '')),
    ])
    expect(deleted.status).toBe(200)
    for (const [at, { status }] of answers.entries()) {
      const person = people[at] ?? owner
      expect((await findLicense(server, person, game.uid)) !== null).toBe(status === 200)
    }
    const won = answers.filter(({ status }) => status === 200).length
    const [batch] = await readBatches(owner, game.uid)
    expect([batch?.redeemed ?? 0, batch?.open ?? 0]).toEqual([won, 0])
  })

  test('ten attempts a minute per account, thirty per address', async () => {
    const player = await signUp(server)
    for (let used = 0; used < LIMITS.redeem.max; used += 1)
      expect((await redeem(player, 'x')).status).toBe(404)
    expect(await refuse(redeem(player, 'x'))).toEqual([429, 4290])
    const address = randomAddress()
    const people = await Promise.all(Array.from({ length: 4 }, () => signUp(server)))
    const send = ({ cookie }: Person) =>
      server.fetch('/api/v1/private/redeem', {
        method: 'POST',
        headers: {
          cookie,
          origin: new URL(server.url).origin,
          'content-type': 'application/json',
          'x-forwarded-for': address,
        },
        body: '{"code":"x"}',
      })
    for (const person of people.slice(0, 3))
      for (let used = 0; used < LIMITS.redeem.max; used += 1) expect((await send(person)).status).toBe(404)
    expect((await send(people[3] ?? player)).status).toBe(429)
  })
})
