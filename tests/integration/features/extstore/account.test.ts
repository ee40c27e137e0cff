import { afterEach, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { openExtStore } from '../../../../src/clients/extstore/open.ts'
import { sessions, users } from '../../../../src/db/schema/accounts.ts'
import { extstoreNonces } from '../../../../src/db/schema/extstore.ts'
import { deleteNonces } from '../../../../src/features/extstore/account/queries.ts'
import { createState } from '../../../../src/features/extstore/account/service.ts'
import {
  ACCOUNT_PATH,
  beginSignIn,
  comeBack,
  linkAccount,
  newAccount,
  readLinkedAccount,
} from '../../../helpers/extstore/extstore-account.ts'
import { useExtstore } from '../../../helpers/extstore/imports.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { asPerson, type Person, readCookies, signUp } from '../../../helpers/people.ts'

const { server, double } = useExtstore()

describe('linking an account', () => {
  describe('linking the external account', () => {
    test('sends the browser to the store, with a way back to us', async () => {
      const person = await signUp(server)
      const answer = await person.fetch(`${ACCOUNT_PATH}/connect`)
      const location = answer.headers.get('location') ?? ''
      expect(location).toStartWith(`${double.origin}/openid/login?`)
      expect(await readData(answer)).toEqual({ url: location })
      const { 'openid.return_to': returnTo, ...fields } = Object.fromEntries(new URL(location).searchParams)
      expect(returnTo).toStartWith(`${server.url}${ACCOUNT_PATH}/callback?state=`)
      expect(fields).toEqual({
        'openid.ns': 'http://specs.openid.net/auth/2.0',
        'openid.mode': 'checkid_setup',
        'openid.realm': server.url,
        'openid.identity': 'http://specs.openid.net/auth/2.0/identifier_select',
        'openid.claimed_id': 'http://specs.openid.net/auth/2.0/identifier_select',
      })
    })

    test('is done once the store confirms who came back', async () => {
      const person = await signUp(server)
      const extstoreId = newAccount()
      const answer = await linkAccount(double, person, extstoreId)
      expect([answer.status, answer.headers.get('location')]).toEqual([302, '/?extstore=linked'])
      expect(await readData(answer)).toEqual({ extstore_id: extstoreId })
      expect(await readLinkedAccount(person)).toBe(extstoreId)
    })

    test('works by the page of the double, too, as someone who tries it out would', async () => {
      const person = await signUp(server)
      const extstoreId = newAccount()
      const started = await person.fetch(`${ACCOUNT_PATH}/connect`)
      const page = await fetch(started.headers.get('location') ?? '')
      expect(await page.text()).toContain('name="account"')
      const form = new URLSearchParams({ 'openid.return_to': await beginSignIn(person), account: extstoreId })
      const sent = await fetch(`${double.origin}/openid/login?${form.toString()}`, { redirect: 'manual' })
      expect((await comeBack(person, sent.headers.get('location') ?? '')).status).toBe(302)
      expect(await readLinkedAccount(person)).toBe(extstoreId)
    })

    test('again replaces the account; unlinking forgets it, also twice', async () => {
      const person = await signUp(server)
      const [first, second] = [newAccount(), newAccount()]
      await linkAccount(double, person, first)
      await linkAccount(double, person, second)
      expect(await readLinkedAccount(person)).toBe(second)
      for (let times = 0; times < 2; times += 1) {
        const answer = await person.json('DELETE', ACCOUNT_PATH)
        expect([answer.status, await answer.json()]).toEqual([200, { success: true, data: {} }])
        expect(await readLinkedAccount(person)).toBeNull()
      }
    })

    test('to an account of another user is 409/4090, until that one unlinks it', async () => {
      const [one, other] = [await signUp(server), await signUp(server)]
      const extstoreId = newAccount()
      await linkAccount(double, one, extstoreId)
      expect(await readFailure(await linkAccount(double, other, extstoreId))).toMatchObject({
        status: 409,
        code: 4090,
      })
      expect(await readLinkedAccount(other)).toBeNull()
      await one.json('DELETE', ACCOUNT_PATH)
      expect((await linkAccount(double, other, extstoreId)).status).toBe(302)
    })

    test('by two users to one account at once: one of them has it', async () => {
      const people = await Promise.all([signUp(server), signUp(server), signUp(server)])
      const extstoreId = newAccount()
      const answers = await Promise.all(people.map((person) => linkAccount(double, person, extstoreId)))
      expect(answers.map(({ status }) => status).filter((status) => status === 302)).toHaveLength(1)
      const owners = await server.deps.db.select().from(users).where(eq(users.extstoreId, extstoreId))
      expect(owners).toHaveLength(1)
    })
  })
})

describe('a refused link', () => {
  afterEach(() => double.heal())

  describe('what comes back is refused', () => {
    test('when the user cancelled', async () => {
      const person = await signUp(server)
      const form = new URLSearchParams({ 'openid.return_to': await beginSignIn(person), cancel: '1' })
      const sent = await fetch(`${double.origin}/openid/login?${form.toString()}`, { redirect: 'manual' })
      const failure = await readFailure(await comeBack(person, sent.headers.get('location') ?? ''))
      expect(failure).toMatchObject({ status: 400, code: 4000 })
      expect(failure.message).toContain('cancelled')
    })

    test('when it comes a second time, even at once', async () => {
      const person = await signUp(server)
      const back = double.signIn({ returnTo: await beginSignIn(person), extstoreId: newAccount() })
      expect((await comeBack(person, back)).status).toBe(302)
      expect(await readFailure(await comeBack(person, back))).toMatchObject({ status: 403, code: 4030 })
    })

    test('when the nonce was used, whatever the store says about it', async () => {
      const person = await signUp(server)
      const back = double.signIn({ returnTo: await beginSignIn(person), extstoreId: newAccount() })
      const nonce = new URL(back).searchParams.get('openid.response_nonce') ?? ''
      await server.deps.db.insert(extstoreNonces).values({ nonce })
      expect(await readFailure(await comeBack(person, back))).toMatchObject({ status: 403, code: 4030 })
      expect(await readLinkedAccount(person)).toBeNull()
    })

    type Tamper = (back: URL) => void
    const set = (name: string, value: string) => (back: URL) => back.searchParams.set(`openid.${name}`, value)
    const forgeries: [string, Tamper][] = [
      ['forged', set('sig', 'AAAAAAAAAAAAAAAAAAAAAAAAAAA=')],
      ['without a signature', ({ searchParams }) => searchParams.delete('openid.sig')],
      ['for another account', ({ searchParams }) => replaceAccount(searchParams, '76561198999999999')],
      ['with two accounts', ({ searchParams }) => searchParams.append('openid.claimed_id', 'x')],
      ['with another signed list', set('signed', 'return_to,response_nonce')],
      ['of another mode', set('mode', 'checkid_setup')],
      ['of nothing at all', ({ searchParams }) => deleteAssertion(searchParams)],
    ]
    test.each(forgeries)('when it is %s', async (_, tamper) => {
      const person = await signUp(server)
      const returnTo = await beginSignIn(person)
      const back = new URL(double.signIn({ returnTo, extstoreId: newAccount() }))
      tamper(back)
      expect(await readFailure(await comeBack(person, back.href))).toMatchObject({ status: 403, code: 4030 })
      expect(await readLinkedAccount(person)).toBeNull()
    })

    const signed: [string, Record<string, string>][] = [
      ['from another endpoint', { op_endpoint: 'https://store.example.org/openid/login' }],
      ['for another return address', { return_to: 'https://store.example.org/callback' }],
      ['with different identities', { identity: 'https://store.example.org/openid/id/76561198000000001' }],
      ['with a nonce of yesterday', { response_nonce: '2020-01-01T00:00:00Zabc' }],
      ['with a nonce of tomorrow', { response_nonce: '2099-01-01T00:00:00Zabc' }],
    ]
    test.each(signed)('when it is signed, but %s', async (_, changes) => {
      const person = await signUp(server)
      const back = double.signIn({ returnTo: await beginSignIn(person), extstoreId: newAccount(), changes })
      expect(await readFailure(await comeBack(person, back))).toMatchObject({ status: 403, code: 4030 })
      expect(await readLinkedAccount(person)).toBeNull()
    })
  })

  function replaceAccount(fields: URLSearchParams, extstoreId: string): void {
    for (const name of ['openid.claimed_id', 'openid.identity']) {
      fields.set(name, (fields.get(name) ?? '').replace(/\d+$/, extstoreId))
    }
  }

  function deleteAssertion(fields: URLSearchParams): void {
    for (const name of Array.from(fields.keys())) if (name.startsWith('openid.')) fields.delete(name)
  }

  describe('the state', () => {
    const addressWith = (state: string) => `${server.url}${ACCOUNT_PATH}/callback?state=${state}`

    test.each<[string, (person: Person) => Promise<string>]>([
      ['of another user', async () => await beginSignIn(await signUp(server))],
      ['of another session of the same user', async (person) => await beginSignIn(await signInAgain(person))],
      ['that has expired', async (person) => addressWith(await stateOf(person, Date.now() - 601_000))],
      ['that was made up', async () => addressWith(`${Date.now() + 60_000}.abc`)],
      ['with a later time put in', async (person) => addressWith(postpone(await stateOf(person, 0)))],
      ['that is missing', async () => `${server.url}${ACCOUNT_PATH}/callback`],
    ])('%s is 400/4000, and the store is not asked', async (_, makeAddress) => {
      const person = await signUp(server)
      const back = double.signIn({ returnTo: await makeAddress(person), extstoreId: newAccount() })
      const before = double.requests.length
      expect(await readFailure(await comeBack(person, back))).toMatchObject({ status: 400, code: 4000 })
      expect(double.requests.length).toBe(before)
      expect(await readLinkedAccount(person)).toBeNull()
    })

    test('is taken for ten minutes', async () => {
      const person = await signUp(server)
      const returnTo = addressWith(await stateOf(person, Date.now() - 590_000))
      const back = double.signIn({ returnTo, extstoreId: newAccount() })
      expect((await comeBack(person, back)).status).toBe(302)
    })
  })

  /** As if the sign-in had begun at that time. */
  async function stateOf(person: Person, startedAt: number): Promise<string> {
    const [session] = await server.deps.db.select().from(sessions).where(eq(sessions.userId, person.uid))
    const user = { userUid: person.uid, sessionUid: session?.id ?? '' }
    return createState(server.deps.keyring, user, startedAt)
  }

  function postpone(state: string): string {
    return state.replace(/^\d+/, String(Date.now() + 60_000))
  }

  async function signInAgain(person: Person): Promise<Person> {
    const answer = await server.fetch('/api/auth/sign-in/email', {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        origin: server.url,
        'x-forwarded-for': person.address,
      },
      body: JSON.stringify({ email: person.email, password: person.password }),
    })
    return asPerson(server, { ...person, cookie: readCookies(answer) })
  }

  describe('a store that fails', () => {
    // So that a store that hangs does not hold up the tests. A busy machine answers later than that.
    beforeAll(() => {
      server.deps.extStore = openExtStore(server.deps.config.extstore, 300)
    })

    test.each(['hang', 'reset', 'half', 'null', 'not_json', '429', '500', 'html403'] as const)(
      '%s is 502/4243, and nothing is linked',
      async (fault) => {
        const person = await signUp(server)
        double.fail('openid', fault)
        const answer = await linkAccount(double, person, newAccount())
        expect(await readFailure(answer)).toMatchObject({ status: 502, code: 4243 })
        expect(await readLinkedAccount(person)).toBeNull()
      },
    )
  })

  test('used nonces are forgotten once they are too old to be taken', async () => {
    const [old, young] = [crypto.randomUUID(), crypto.randomUUID()]
    const { db } = server.deps
    await db.insert(extstoreNonces).values([{ nonce: old, usedAt: new Date(0) }, { nonce: young }])
    await deleteNonces(db, new Date(Date.now() - 60_000))
    const left = new Set((await db.select().from(extstoreNonces)).map(({ nonce }) => nonce))
    expect([left.has(old), left.has(young)]).toEqual([false, true])
  })
})
