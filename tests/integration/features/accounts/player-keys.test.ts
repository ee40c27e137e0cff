import { describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { playerKeys } from '../../../../src/db/schema/accounts.ts'
import { LIMITS } from '../../../../src/domain/limit-table.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { signUp } from '../../../helpers/people.ts'
import { startProbeServer } from '../../../helpers/processes/probe-server.ts'
import { useBeside, usePerson, useStore } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1' })
const probe = useBeside(server, () => startProbeServer(server))
const person = usePerson(server)

interface NewKey {
  uid: string
  key: string
  last4: string
}

const path = '/api/v1/private/player-keys'
const create = (body: unknown) => person.json('POST', path, body)
const use = (key: string) =>
  probe.fetch('/api/v1/public/probe', { headers: { authorization: `Bearer ${key}` } })

describe('player keys', () => {
  test('are shown once, with 256 random bits, and stored as a hash', async () => {
    const answer = await create({ label: 'Laptop' })
    expect(answer.status).toBe(201)
    const made = await readData<NewKey>(answer)
    expect(made).toMatchObject({ label: 'Laptop', scopes: ['player:read'], last_used_at: null })
    expect(made.key).toMatch(/^svc_play_[A-Za-z0-9_-]{43}$/)
    expect(made.last4).toBe(made.key.slice(-4))
    const [row] = await server.deps.db.select().from(playerKeys).where(eq(playerKeys.uid, made.uid))
    expect(row?.keyHash).toBe(sha256Hex(made.key))
    expect(JSON.stringify(row)).not.toContain(made.key)

    const list = await (await person.fetch(path)).text()
    expect(list).toContain(made.uid)
    expect(list).not.toContain(made.key)
  })

  test('carry the scopes asked for', async () => {
    const scopes = ['player:read', 'player:bugs']
    expect(await readData(await create({ label: 'Both', scopes }))).toMatchObject({ scopes })
  })

  test.each([
    ['no label', {}],
    ['an empty label', { label: '' }],
    ['a blank label', { label: '   ' }],
    ['a label of 81 characters', { label: 'x'.repeat(81) }],
    ['a number as label', { label: 7 }],
    ['no scope at all', { label: 'x', scopes: [] }],
    ['an unknown scope', { label: 'x', scopes: ['player:write'] }],
    ['an agent scope', { label: 'x', scopes: ['mcp:builds.read'] }],
    ['a scope twice', { label: 'x', scopes: ['player:read', 'player:read'] }],
    ['an unknown field', { label: 'x', colour: 'red' }],
    ['a list instead of an object', []],
  ])('%s is 400/4000', async (_, body) => {
    expect(await readFailure(await create(body))).toMatchObject({ status: 400, code: 4000 })
  })

  test('a label of 80 characters is taken', async () => {
    expect((await create({ label: 'x'.repeat(80) })).status).toBe(201)
  })

  test('remember when they were last used', async () => {
    const { uid, key } = await readData<NewKey>(await create({ label: 'Used' }))
    expect((await use(key)).status).toBe(200)
    const { items } = await readData<{ items: { uid: string; last_used_at: string | null }[] }>(
      await person.fetch(`${path}?page_size=50`),
    )
    expect(items.find((item) => item.uid === uid)?.last_used_at).toMatch(/^\d{4}-\d\d-\d\dT.*\.\d{3}Z$/)
  })

  test('stop working in every process as soon as they are deleted', async () => {
    const { uid, key } = await readData<NewKey>(await create({ label: 'Short-lived' }))
    expect((await use(key)).status).toBe(200)
    const answer = await person.json('DELETE', `${path}/${uid}`)
    expect(answer.status).toBe(200)
    expect(await answer.json()).toEqual({ success: true, data: {} })
    // The other process hears of it by NOTIFY, a moment later.
    await waitFor('the end of the key', async () => (await use(key)).status === 401, PROMPT_MS)
    expect(await readFailure(await person.json('DELETE', `${path}/${uid}`))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })

  test('a changed adult setting reaches keys that are in use', async () => {
    const { key } = await readData<NewKey>(await create({ label: 'Adult' }))
    expect(await readData(await use(key))).toMatchObject({ adultContent: false })
    await person.json('PATCH', '/api/v1/private/me', { adult_content: true })
    const isAdult = async () => (await readData<{ adultContent: boolean }>(await use(key))).adultContent
    await waitFor('the new setting', isAdult, PROMPT_MS)
  })

  test("of others can't be seen or deleted", async () => {
    const { uid } = await readData<NewKey>(await create({ label: 'Mine' }))
    const other = await signUp(server)
    expect(await readData(await other.fetch(path))).toEqual({ items: [], total: 0, page: 1, page_size: 20 })
    expect(await readFailure(await other.json('DELETE', `${path}/${uid}`))).toMatchObject({
      status: 404,
      code: 4040,
    })
    expect(await readFailure(await other.json('DELETE', `${path}/not-a-uid`))).toMatchObject({
      status: 404,
      code: 4040,
    })
  })

  test('are 50 per account however many are asked for at once', async () => {
    const eager = await signUp(server)
    // Most are there before: each waits for its turn, on a busy machine the last of 80 longer than it may.
    const kept = Array.from({ length: 40 }, (_, number) => ({
      userUid: eager.uid,
      label: `Kept ${number}`,
      keyHash: sha256Hex(`${eager.uid} ${number}`),
      last4: 'kept',
      scopes: ['player:read'],
    }))
    await server.deps.db.insert(playerKeys).values(kept)
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, number) => eager.json('POST', path, { label: `Key ${number}` })),
    )
    const statuses = Map.groupBy(answers, ({ status }) => status)
    expect([statuses.get(201)?.length, statuses.get(409)?.length]).toEqual([10, 20])
    expect(await readData(await eager.fetch(path))).toMatchObject({ total: 50 })
  })

  test('are asked for a limited number of times a minute', async () => {
    const eager = await signUp(server)
    for (let asked = 0; asked < LIMITS.player_key.max; asked += 1)
      expect((await eager.json('POST', path, {})).status).toBe(400)
    const refused = await eager.json('POST', path, { label: 'One more' })
    expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
    expect((await create({ label: 'Of another account' })).status).toBe(201)
  })

  test('are listed in pages, newest first, and an account holds 50 of them', async () => {
    const collector = await signUp(server)
    for (let made = 0; made < 50; made += 1) {
      expect((await collector.json('POST', path, { label: `Key ${made}` })).status).toBe(201)
    }
    const second = await readData<{ items: { label: string }[] }>(
      await collector.fetch(`${path}?page=2&page_size=3`),
    )
    expect(second).toMatchObject({ total: 50, page: 2, page_size: 3 })
    expect(second.items.map((item) => item.label)).toEqual(['Key 46', 'Key 45', 'Key 44'])
    expect(await readData(await collector.fetch(`${path}?page=x&page_size=999`))).toMatchObject({
      page: 1,
      page_size: 50,
    })
    expect(await readFailure(await collector.json('POST', path, { label: 'One more' }))).toMatchObject({
      status: 409,
      code: 4090,
    })
  })
})
