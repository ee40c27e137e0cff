import { beforeAll, expect, test } from 'bun:test'

import { type Person, randomAddress, signUp } from '../../helpers/people.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
let person: Person
beforeAll(async () => {
  person = await signUp(server)
})

const EVIL = 'https://evil.example'
const IMAGE = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }
const FORM = { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }
const form = { 'content-type': 'application/x-www-form-urlencoded', origin: EVIL }

/** More often than the limit of sign-ins allows. */
const repeat = (path: string, init: RequestInit) =>
  Promise.all(Array.from({ length: 40 }, () => server.fetch(path, init)))

async function signInFrom(address: string): Promise<number> {
  const answer = await server.fetch('/sign-in', {
    method: 'POST',
    headers: { origin: server.url, 'x-forwarded-for': address, 'sec-fetch-site': 'same-origin' },
    body: new URLSearchParams({ email: person.email, password: person.password }),
  })
  return answer.status
}

test.each([
  ['images', 'GET', '/api/auth/get-session', IMAGE],
  ['images of a sibling site', 'GET', '/api/auth/get-session', { ...IMAGE, 'sec-fetch-site': 'same-site' }],
  ['frames', 'GET', '/api/auth/oauth2/authorize', { ...FORM, 'sec-fetch-dest': 'iframe' }],
  ['images of the export', 'GET', '/account/export', IMAGE],
  ['forms', 'POST', '/sign-in', { ...FORM, ...form }],
  ['forms of older browsers', 'POST', '/forgot', form],
  ['forms to the account routes', 'POST', '/api/auth/sign-in/email', { ...FORM, ...form }],
  ['forms to them of older browsers', 'POST', '/api/auth/sign-in/email', form],
])('%s in another website use up no limit of its visitors', async (_, method, path, headers) => {
  const address = randomAddress()
  const body = method === 'POST' ? { body: 'email=a%40example.org&password=guessed+by+others' } : {}
  const answers = await repeat(path, { method, headers: { 'x-forwarded-for': address, ...headers }, ...body })
  for (const { status } of answers) expect([401, 403]).toContain(status)
  expect(await signInFrom(address)).toBe(303)
})

test('asking for the session often uses up no sign-in', async () => {
  const address = randomAddress()
  const answers = await repeat('/api/auth/get-session', { headers: { 'x-forwarded-for': address } })
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
  expect(await signInFrom(address)).toBe(303)
})

test('links of other websites and programs without a browser are served', async () => {
  const headers = { ...FORM, 'x-forwarded-for': randomAddress() }
  for (const path of ['/api/auth/reset-password/x?callbackURL=/reset', '/api/auth/oauth2/authorize'])
    expect((await server.fetch(path, { headers })).status).not.toBe(403)
  const token = await server.fetch('/api/auth/oauth2/token', {
    method: 'POST',
    headers: { ...form, origin: 'app://program', 'x-forwarded-for': randomAddress() },
    body: 'grant_type=authorization_code',
  })
  expect(token.status).not.toBe(403)
})

test('attempts to sign in are still counted', async () => {
  const address = randomAddress()
  const answers = await repeat('/api/auth/sign-in/email', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
    body: JSON.stringify({ email: `nobody-${address}@example.org`, password: 'guessed' }),
  })
  expect(answers.filter(({ status }) => status === 429).length).toBeGreaterThanOrEqual(10)
  expect(await signInFrom(address)).toBe(429)
})
