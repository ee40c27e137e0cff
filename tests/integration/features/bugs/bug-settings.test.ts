import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { bugReporters } from '../../../../src/db/schema/bugs.ts'
import { changeReporter, getReporter } from '../../../../src/features/bugs/settings/service.ts'
import { setReporter } from '../../../helpers/bugs.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { insertGame, verifyEmail } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'
import { asAgent } from '../../../helpers/sign-in/oauth.ts'

let server: TestServer
let owner: Person
beforeAll(async () => {
  server = await startTestServer({ TRUST_PROXY: '1' })
  owner = await signUp(server)
  await verifyEmail(server, owner)
})
afterAll(() => server.stop())

const pathOf = (uid: string) => `/api/v1/private/games/${uid}/bug-reporter`

describe('the settings', () => {
  test('start off, without a key, which is made when the reporter is first turned on and stays', async () => {
    const { uid } = await insertGame(server, owner)
    expect(await readData<object>(await owner.fetch(pathOf(uid)))).toEqual({
      enabled: false,
      daily_cap: 10,
      webhook_urls: [],
      webhooks: [],
      signing_key: null,
    })
    const on = await setReporter(owner, uid)
    expect(on.signing_key).toMatch(/^[0-9a-f]{64}$/)
    const off = await setReporter(owner, uid, { enabled: false, daily_cap: 3 })
    expect(off).toEqual({ ...on, enabled: false, daily_cap: 3 })
    expect(await readData<object>(await owner.fetch(pathOf(uid)))).toEqual(off)
  })

  test('the key is encrypted at rest, and replaced for one game alone', async () => {
    const [one, two] = [await insertGame(server, owner), await insertGame(server, owner)]
    const [first, second] = [await setReporter(owner, one.uid), await setReporter(owner, two.uid)]
    const rows = await server.deps.db.select().from(bugReporters)
    expect(JSON.stringify(rows)).not.toContain(first.signing_key)
    const renewed = await readData<{ signing_key: string }>(
      await owner.json('POST', `${pathOf(one.uid)}/signing-key`),
    )
    expect(renewed).toEqual({ ...first, signing_key: renewed.signing_key })
    expect(renewed.signing_key).not.toBe(first.signing_key)
    expect(await setReporter(owner, two.uid, {})).toEqual(second)
  })

  test('programs see the last four characters of the key', async () => {
    const { uid } = await insertGame(server, owner)
    const { signing_key } = await setReporter(owner, uid)
    const agent = asAgent(owner.uid, 'x')
    const last4 = signing_key.slice(-4)
    expect((await getReporter(server.deps, agent, uid)).signing_key).toBe(last4)
    expect((await changeReporter(server.deps, agent, uid, { daily_cap: 5 })).signing_key).toBe(last4)
  })

  test.each([
    [{ daily_cap: 0 }],
    [{ daily_cap: 10_001 }],
    [{ daily_cap: 1.5 }],
    [{ enabled: 'yes' }],
    [{ cap: 5 }],
    [{ webhook_urls: Array.from({ length: 6 }, (_, index) => `https://example.org/${index}`) }],
    [{ webhook_urls: ['http://example.org/'] }],
    [{ webhook_urls: ['http://localhost/'] }],
    [{ webhook_urls: ['http://127.0.0.2/'] }],
    [{ webhook_urls: ['http://2130706433/'] }],
    [{ webhook_urls: ['http://0x7f000001/'] }],
    [{ webhook_urls: ['http://127.0.0.1.example.org/'] }],
    [{ webhook_urls: ['http://127.0.0.1@example.org/'] }],
    [{ webhook_urls: ['https://user:secret@example.org/'] }],
    [{ webhook_urls: ['ftp://example.org/', 'https://example.org/'] }],
    [{ webhook_urls: [`https://example.org/${'x'.repeat(2000)}`] }],
  ])('%j is refused and changes nothing', async (input) => {
    const { uid } = await insertGame(server, owner)
    const failure = await readFailure(await owner.json('PUT', pathOf(uid), { enabled: true, ...input }))
    expect(failure).toMatchObject({ status: 400, code: 4000 })
    expect(await readData<object>(await owner.fetch(pathOf(uid)))).toMatchObject({ enabled: false })
  })

  test('five URLs are accepted, the same one once, and a receiver on this machine', async () => {
    const { uid } = await insertGame(server, owner)
    const urls = [1, 2, 3].map((n) => `https://example.org/${n}`)
    const sent = [...urls, 'https://example.org/1', 'http://127.0.0.1:9000/bugs?x=1']
    const { webhook_urls } = await setReporter(owner, uid, { webhook_urls: sent })
    expect(webhook_urls).toEqual([...urls, 'http://127.0.0.1:9000/bugs?x=1'])
  })
})
