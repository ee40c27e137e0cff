import { describe, expect, test } from 'bun:test'

import { readData, readJson } from '../../../helpers/json.ts'
import { waitForMail } from '../../../helpers/mails.ts'
import { asPerson, type Person, randomAddress, readCookies, signUp } from '../../../helpers/people.ts'
import { startProbeServer } from '../../../helpers/processes/probe-server.ts'
import { exchange, obtainToken } from '../../../helpers/sign-in/oauth.ts'
import { useBeside, useStore } from '../../../helpers/store.ts'
import { PROMPT_MS, waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })
const probe = useBeside(server, () => startProbeServer(server))

const NEW_PASSWORD = 'a brand new password'
const bearer = (token: string) => ({
  headers: { authorization: `Bearer ${token}`, 'x-forwarded-for': randomAddress() },
})
const use = async (token: string) =>
  (await server.fetch('/api/v1/public/search?q=none', bearer(token))).status
const useElsewhere = async (token: string) =>
  (await probe.fetch('/api/v1/public/probe', bearer(token))).status

async function makeKey(person: Person): Promise<string> {
  const answer = await person.json('POST', '/api/v1/private/player-keys', { label: 'x' })
  return (await readData<{ key: string }>(answer)).key
}

/** Everything that can use an account besides its password, all of it in use in two processes. */
async function equip(person: Person) {
  const keys = [await makeKey(person), await makeKey(person), await makeKey(person)]
  const programs = [
    await obtainToken(server, person, 'player:read offline_access'),
    await obtainToken(server, person, 'player:read'),
  ]
  const tokens = [...keys, ...programs.map(({ access_token }) => access_token)]
  for (const token of tokens) expect([await use(token), await useElsewhere(token)]).toEqual([200, 200])
  return { keys, programs, tokens }
}

async function resetPassword(person: Person): Promise<Response> {
  const token = await requestReset(person)
  return await person.json('POST', '/api/auth/reset-password', { token, newPassword: NEW_PASSWORD })
}

/** The token in the mailed link. */
async function requestReset(person: Person): Promise<string> {
  const body = { email: person.email, redirectTo: server.url }
  await person.json('POST', '/api/auth/request-password-reset', body)
  const { link } = await waitForMail(server, person.email, 'Set a new password')
  return /reset-password\/([^?]+)/.exec(link)?.[1] ?? ''
}

async function expectEnded({ keys, programs, tokens }: Awaited<ReturnType<typeof equip>>): Promise<void> {
  expect(await Promise.all(tokens.map(use))).toEqual(tokens.map(() => 401))
  for (const { access_token } of programs) expect(await useElsewhere(access_token)).toBe(401)
  const [first] = programs
  const fields = {
    grant_type: 'refresh_token',
    refresh_token: first?.refresh_token ?? '',
    client_id: first?.clientId ?? '',
  }
  expect((await exchange(server, fields)).status).toBe(400)
  // Other processes hear of deleted keys by NOTIFY, a moment later.
  for (const key of keys)
    await waitFor('the end of the key elsewhere', async () => (await useElsewhere(key)) === 401, PROMPT_MS)
}

describe('a password set by mail', () => {
  test('ends sessions, player keys and programs, and says so', async () => {
    const person = await signUp(server)
    const other = await signUp(server)
    const otherKey = await makeKey(other)
    const access = await equip(person)
    const answer = await resetPassword(person)
    expect(answer.status).toBe(200)
    await expectEnded(access)
    expect(await readJson(answer)).toEqual({ status: true, ended: { player_keys: 3, programs: 2 } })
    expect((await person.fetch('/api/v1/private/me')).status).toBe(401)
    const { text } = await waitForMail(server, person.email, 'Your password was changed')
    expect(text.replaceAll(/\s+/g, ' ')).toContain('3 player keys and 2 connected programs')
    expect(await use(otherKey)).toBe(200)
  })

  test('tells nothing of keys and programs where there are none', async () => {
    const person = await signUp(server)
    expect((await resetPassword(person)).status).toBe(200)
    const { text } = await waitForMail(server, person.email, 'Your password was changed')
    expect(text).not.toContain('player key')
  })

  test('leaves no key to a session that makes them meanwhile', async () => {
    const person = await signUp(server)
    const token = await requestReset(person)
    let reset: Promise<Response> | undefined
    const made: Promise<Response>[] = []
    // Before, during and after the reset, and within the number of keys an account may have.
    for (let count = 0; count < 45; count += 1) {
      made.push(person.json('POST', '/api/v1/private/player-keys', { label: 'x' }))
      if (count === 10)
        reset = person.json('POST', '/api/auth/reset-password', { token, newPassword: NEW_PASSWORD })
      await Bun.sleep(4)
    }
    expect((await reset)?.status).toBe(200)
    const keys = (await Promise.all(made)).filter(({ status }) => status === 201)
    const codes = await Promise.all(
      keys.map(async (key) => await use((await readData<{ key: string }>(key)).key)),
    )
    expect(codes.length).toBeGreaterThan(0)
    expect(codes).toEqual(codes.map(() => 401))
  })
})

describe('a password changed by its owner', () => {
  const change = (person: Person, revokeOtherSessions: boolean) =>
    person.json('POST', '/api/auth/change-password', {
      currentPassword: person.password,
      newPassword: NEW_PASSWORD,
      revokeOtherSessions,
    })

  test('with everything else signed out ends keys and programs too', async () => {
    const person = await signUp(server)
    const access = await equip(person)
    const answer = await change(person, true)
    expect(answer.status).toBe(200)
    await expectEnded(access)
    const current = asPerson(server, { ...person, cookie: readCookies(answer) })
    expect((await current.fetch('/api/v1/private/me')).status).toBe(200)
    expect(await readJson(answer)).toMatchObject({ ended: { player_keys: 3, programs: 2 } })
    const { text } = await waitForMail(server, person.email, 'Your password was changed')
    expect(text.replaceAll(/\s+/g, ' ')).toContain('3 player keys and 2 connected programs')
  })

  test('alone leaves them as they are', async () => {
    const person = await signUp(server)
    const { tokens } = await equip(person)
    expect((await change(person, false)).status).toBe(200)
    for (const token of tokens) expect(await use(token)).toBe(200)
  })

  test('wrongly ends nothing', async () => {
    const person = await signUp(server)
    const key = await makeKey(person)
    expect((await change({ ...person, password: 'not the password' }, true)).status).toBe(400)
    expect(await use(key)).toBe(200)
  })
})
