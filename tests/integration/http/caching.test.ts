import { beforeAll, describe, expect, test } from 'bun:test'

import { type GameRow, insertPublicGame } from '../../helpers/listings.ts'
import { signUpOperator } from '../../helpers/operators.ts'
import { SELLING_ENV } from '../../helpers/selling/selling.ts'
import { usePerson, useStore } from '../../helpers/store.ts'

/** Who is asked about; everyone else's routes answer all callers alike. */
const PERSONAL = new Set([
  'website',
  'website_or_agent',
  'website_or_player',
  'page',
  'operator',
  'player',
  'reporter',
  'saver',
  'agent',
])
const AT_ONCE = 10
const FORM = 'application/x-www-form-urlencoded'

const server = useStore({ TRUST_PROXY: '1', ...SELLING_ENV })
const person = usePerson(server, signUpOperator)
let game: GameRow
beforeAll(async () => {
  game = await insertPublicGame(server, person)
})

describe('what depends on a session', () => {
  test('is never stored: every route for people, called by one', async () => {
    const routes = server.app.routes.flatMap(({ method, path, hooks }) => {
      const access = String((hooks.detail as Record<string, unknown> | undefined)?.['x-access'])
      // Signing out ends the session that the others need.
      return PERSONAL.has(access) && path !== '/sign-out' ? [{ method, path, access }] : []
    })
    const ask = async ({ method, path, access }: (typeof routes)[number]): Promise<string> => {
      const address = path.replace(':uid', game.uid).replaceAll(/:\w+/g, crypto.randomUUID())
      const isForm = access === 'page' || address.startsWith('/operate')
      const stop = new AbortController()
      const answer = await person.fetch(address, {
        method,
        signal: stop.signal,
        headers: { accept: isForm ? 'text/html' : 'application/json' },
        ...(method === 'GET' ? {} : { body: isForm ? new URLSearchParams() : '{}' }),
      })
      stop.abort()
      return `${method} ${path}: ${answer.headers.get('cache-control')}`
    }
    const told: string[] = []
    for (let first = 0; first < routes.length; first += AT_ONCE)
      told.push(...(await Promise.all(routes.slice(first, first + AT_ONCE).map(ask))))
    expect(told.length).toBeGreaterThan(200)
    expect(told.filter((line) => !line.includes('no-store'))).toEqual([])
  })

  test('is private where it succeeds', async () => {
    for (const path of [
      '/api/v1/private/me',
      '/api/v1/private/games',
      '/api/v1/private/library',
      '/',
      '/search',
      '/account',
      '/library',
      '/studio',
      `/games/${game.uid}`,
      `/studio/${game.uid}/page`,
    ]) {
      const answer = await person.fetch(path, { headers: { accept: 'text/html' } })
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([
        path,
        200,
        'private, no-store',
      ])
    }
  })
})

describe('the answer to a form', () => {
  test.each([
    ['/sign-in', 'email=nobody@example.org&password=wrong'],
    ['/sign-up', 'name=&email=&password='],
    ['/forgot', 'email='],
    ['/reset', 'token=x&newPassword=short'],
  ])('is never stored, even for a guest: %s', async (path, body) => {
    const answer = await server.fetch(path, {
      method: 'POST',
      headers: { 'content-type': FORM, accept: 'text/html', origin: server.url },
      body,
    })
    expect(answer.status).toBeWithin(400, 500)
    expect(answer.headers.get('cache-control')).toBe('private, no-store')
  })
})

test('guests share what is the same for all of them', async () => {
  for (const path of ['/', '/search', `/games/${game.vanityName}`, '/sign-in']) {
    const answer = await server.fetch(path, { headers: { accept: 'text/html' } })
    expect(answer.headers.get('cache-control')).toStartWith('public, max-age=')
  }
})
