import { afterAll, beforeAll, describe, expect, test } from 'bun:test'

import { eq } from 'drizzle-orm'

import { users } from '../../../../src/db/schema/accounts.ts'
import { type ExtStoreDouble, startExtStoreDouble } from '../../../helpers/ext-store-double/double.ts'
import {
  ACCOUNT_PATH,
  beginSignIn,
  comeBack,
  linkAccount,
  newAccount,
  readLinkedAccount,
} from '../../../helpers/extstore/extstore-account.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { signUp } from '../../../helpers/people.ts'
import { startTestServer, type TestServer } from '../../../helpers/server.ts'

let double: ExtStoreDouble
let server: TestServer
beforeAll(async () => {
  double = await startExtStoreDouble()
  server = await startTestServer({ TRUST_PROXY: '1', ...double.env })
})
afterAll(async () => {
  await server.stop()
  await double.stop()
})

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
