import { expect, test } from 'bun:test'

import { signUp } from '../../helpers/people.ts'
import { useStore } from '../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })

const ask = (address: string, path = '/api/v1/private/me') =>
  server.fetch(path, { headers: { 'x-forwarded-for': address, authorization: 'Bearer nonsense' } })

test('a network whose requests are refused again and again is still served, as are people in it', async () => {
  const network = '203.0.113'
  const refused = await Promise.all(Array.from({ length: 200 }, (_, host) => ask(`${network}.${host}`)))
  expect(new Set(refused.map(({ status }) => status))).toEqual(new Set([401]))
  const person = await signUp(server)
  const headers = { cookie: person.cookie, 'x-forwarded-for': `${network}.250` }
  const answers = await Promise.all([
    server.fetch('/api/v1/private/me', { headers }),
    ...Array.from({ length: 50 }, (_, host) => ask(`${network}.${host}`)),
  ])
  expect(answers.map(({ status }) => status)).toEqual([200, ...Array.from({ length: 50 }, () => 401)])
})
