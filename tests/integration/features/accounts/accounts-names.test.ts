import { describe, expect, test } from 'bun:test'

import { readFailure, readJson } from '../../../helpers/json.ts'
import { insertGame } from '../../../helpers/listings.ts'
import { waitForMail } from '../../../helpers/mails.ts'
import { randomAddress, signUp } from '../../../helpers/people.ts'
import { useStore } from '../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1', ROLE: 'all' })

const REFUSED: [what: string, name: unknown][] = [
  ['a line break and a link', 'Ada\r\n\r\nYou won! https://evil.example'],
  ['ten thousand characters', 'x'.repeat(10_000)],
  ['81 characters', 'x'.repeat(81)],
  ['only spaces', '   '],
  ['nothing', ''],
  ['a tab', 'Ada\tLovelace'],
  ['a line separator', 'Ada\u2028Lovelace'],
  ['a reversed direction', 'Ada \u202Egpj.exe'],
  ['a hidden character', 'Ada\u200BLovelace'],
  ['only joiners', '\u200D\u200D'],
  ['a number', 7],
]

interface Issues {
  issues: { path: string; message: string }[]
}

function post(path: string, body: object): Promise<Response> {
  return server.fetch(path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      origin: server.url,
      'x-forwarded-for': randomAddress(),
    },
    body: JSON.stringify(body),
  })
}

const register = (fields: object) =>
  post('/api/auth/sign-up/email', {
    name: 'Ada',
    email: `ada-${crypto.randomUUID()}@example.org`,
    password: 'a long password',
    ...fields,
  })

describe('the name of a person', () => {
  test.each(REFUSED)('with %s is refused at sign-up', async (_, name) => {
    const failure = await readFailure<Issues>(await register({ name }))
    expect(failure).toMatchObject({ status: 400, code: 4000 })
    expect(failure.data.issues).toEqual([{ path: 'name', message: expect.stringContaining('one line') }])
  })

  test.each(REFUSED)('with %s is refused as a change', async (_, name) => {
    const person = await signUp(server)
    const failure = await readFailure<Issues>(await person.json('POST', '/api/auth/update-user', { name }))
    expect(failure).toMatchObject({ status: 400, code: 4000 })
    expect(failure.data.issues[0]?.path).toBe('name')
  })

  test.each(['Zoë Ω 王', '🧑‍🚀 Sally', 'می‌خواهم', 'x'.repeat(80), '🦊'.repeat(80)])(
    '%s is a name',
    async (name) => {
      const answer = await register({ name: ` ${name} ` })
      expect(answer.status).toBe(200)
      expect(await readJson(answer)).toMatchObject({ user: { name } })
    },
  )
})

describe('other texts of an account', () => {
  test.each([
    ['an address of 255 characters', 'email', `${'a'.repeat(242)}@example.org.`],
    ['a password of 257 characters', 'password', 'x'.repeat(257)],
    ['a picture that is no https link', 'image', 'x'.repeat(5000)],
    ['a very long way back', 'callbackURL', `/${'x'.repeat(3000)}`],
  ])('%s is refused', async (_, field, value) => {
    const failure = await readFailure<Issues>(await register({ [field]: value }))
    expect(failure).toMatchObject({ status: 400, code: 4000 })
    expect(failure.data.issues[0]?.path).toBe(field)
  })

  test('signing in with a password of ten thousand characters is refused before it is hashed', async () => {
    const body = { email: 'ada@example.org', password: 'x'.repeat(10_000) }
    expect(await readFailure(await post('/api/auth/sign-in/email', body))).toMatchObject({
      status: 400,
      code: 4000,
    })
  })
})

describe('mails', () => {
  test('to an address nobody confirmed do not carry the name', async () => {
    const person = await signUp(server, 'Visit evil.example')
    const { text } = await waitForMail(server, person.email, 'Confirm your e-mail address')
    expect(text).toStartWith('Hello,\n')
    expect(text).not.toContain('evil')
    await person.json('POST', '/api/auth/request-password-reset', {
      email: person.email,
      redirectTo: server.url,
    })
    const reset = await waitForMail(server, person.email, 'Set a new password')
    expect(reset.text).not.toContain('evil')
  })

  test('make no link of a name or a title', async () => {
    const [owner, guest] = [await signUp(server), await signUp(server, 'www.guest.example')]
    const game = await insertGame(server, owner, { name: 'Free at https://evil.example/x now' })
    const { username } = (
      await readJson<{ data: { username: string } }>(await guest.fetch('/api/v1/private/me'))
    ).data
    await owner.json('POST', `/api/v1/private/games/${game.uid}/admins`, { username })
    const mail = await waitForMail(server, guest.email, 'You are invited to help run a listing')
    expect(mail.text).toContain('Free at https: //evil. example/x now')
    expect(mail.text).toContain('Hello www. guest. example')
    expect(mail.text.match(/\bhttps?:\/\/\S+/g)).toEqual([`${server.url}/dashboard/invites`])
  })
})

describe('what programs call themselves', () => {
  test.each(REFUSED.filter(([, name]) => typeof name === 'string'))(
    'with %s is refused at registration',
    async (_, client_name) => {
      const answer = await post('/api/auth/oauth2/register', {
        client_name,
        redirect_uris: ['https://program.example/cb'],
        token_endpoint_auth_method: 'none',
      })
      expect(answer.status).toBe(400)
      expect(await readJson(answer)).toMatchObject({ error: expect.stringMatching(/^invalid_/) })
    },
  )

  test('a registration of 20 KB is refused', async () => {
    const answer = await post('/api/auth/oauth2/register', {
      client_name: 'Big',
      contacts: ['x'.repeat(20_000)],
      redirect_uris: ['https://program.example/cb'],
      token_endpoint_auth_method: 'none',
    })
    expect(answer.status).toBe(400)
    expect(await readJson(answer)).toMatchObject({ error: 'invalid_client_metadata' })
  })
})

describe('the name of a listing', () => {
  test.each(['Stars\nhttps://evil.example', 'Stars \u202Efdp', 'Stars\u2029'.concat('x')])(
    '%j is refused',
    async (name) => {
      const owner = await signUp(server)
      const failure = await readFailure<Issues>(
        await owner.json('POST', '/api/v1/private/games', { name, asset_type: 'game' }),
      )
      expect(failure).toMatchObject({ status: 400, code: 4000 })
      expect(failure.data.issues[0]?.path).toBe('name')
    },
  )
})
