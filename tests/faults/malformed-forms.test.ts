import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'

import {
  type GameRow,
  insertGame,
  insertLicense,
  insertPublicGame,
  setPlayMinutes,
  verifyEmail,
} from '../helpers/listings.ts'
import { type Person, signUp } from '../helpers/people.ts'
import { useLoggedStore } from '../helpers/store.ts'
import { waitFor } from '../helpers/wait.ts'

const server = useLoggedStore({ TRUST_PROXY: '1' })
let person: Person
let project: GameRow
let game: GameRow
beforeAll(async () => {
  const maker = await signUp(server)
  person = await signUp(server)
  await verifyEmail(server, person)
  project = await insertGame(server, person)
  game = await insertPublicGame(server, maker)
  await insertLicense(server, game.uid, person)
  await setPlayMinutes(server, game.uid, person, 120)
})

const failures = () => server.lines.filter(({ message }) => message === 'A request failed')

const FORM = 'application/x-www-form-urlencoded'

describe('a NUL character', () => {
  const forms: [name: string, path: () => string, body: (text: string) => string][] = [
    ['signing in', () => '/sign-in', (text) => `email=${text}&password=x`],
    ['signing up', () => '/sign-up', (text) => `name=${text}&email=a@example.org&password=long enough`],
    ['a forgotten password', () => '/forgot', (text) => `email=${text}`],
    ['the profile', () => '/account/profile', (text) => `username=lamp-keeper&bio=${text}`],
    ['hidden tags', () => '/account/privacy', (text) => `hidden_tags=${text}`],
    ['a player key', () => '/account/keys', (text) => `label=${text}&scopes=player:read`],
    ['a new project', () => '/studio/new', (text) => `asset_type=game&name=${text}`],
    ['a page', () => `/studio/${project.uid}/page`, (text) => `name=Lamp&tagline=${text}`],
    ['a change', () => `/studio/${project.uid}/changelog`, (text) => `title=One&body=${text}`],
    ['an invite', () => `/studio/${project.uid}/team/invite`, (text) => `username=${text}`],
    ['a review', () => `/games/${game.uid}/review`, (text) => `rating=4&text=${text}`],
    ['tags', () => `/games/${game.uid}/tags`, (text) => `tags=${text}`],
    ['a report', () => `/games/${game.uid}/report`, (text) => `reason=other&text=${text}`],
  ]

  test.each(forms)('in a form leaves what was written in it: %s', async (_, path, body) => {
    for (const nul of ['%00', '\0']) {
      const answer = await person.fetch(path(), {
        method: 'POST',
        headers: { 'content-type': FORM, accept: 'text/html' },
        body: body(`kept${nul}words`),
      })
      const page = await answer.text()
      expect([400, 422]).toContain(answer.status)
      expect(page).toContain('keptwords')
      expect(page).not.toContain('\0')
    }
    expect(failures()).toEqual([])
  })

  test('in the name of a field is refused', async () => {
    for (const nul of ['%00', '\0']) {
      const answer = await person.fetch('/studio/new', {
        method: 'POST',
        headers: { 'content-type': FORM, accept: 'text/html' },
        body: `asset_type=game&name=Lamp&na${nul}me=x`,
      })
      expect(answer.status).toBe(400)
    }
  })

  test.each([
    ['PATCH', '/api/v1/private/me', 'application/json', '{"username":"a\\u0000b"}'],
    ['POST', '/api/v1/private/games', 'application/json', '{"name":"a\\u0000b","asset_type":"game"}'],
    ['POST', '/api/v1/private/games', 'application/json', '{"na\\u0000me":"a","asset_type":"game"}'],
    ['POST', '/api/auth/sign-in/email', 'application/json', '{"email":"a\\u0000@b.cd","password":"x"}'],
    ['POST', '/api/auth/sign-in/email', 'application/json', '{"email":"a@b.cd","password":"\\u0000"}'],
    ['POST', '/api/auth/oauth2/token', FORM, 'grant_type=authorization_code&code=%00&client_id=a%00b'],
    ['POST', '/api/auth/oauth2/token', FORM, 'grant_type=authorization_code&code=\0&client_id=a\0b'],
    ['GET', '/api/v1/public/search?q=a%00b', '', ''],
    ['GET', '/games/a%00b', '', ''],
    ['GET', '/search?tags=%00', '', ''],
  ])('in a call is no fault of ours: %s %s %s', async (method, path, type, body) => {
    const headers = { ...(type && { 'content-type': type }) }
    const answer = await person.fetch(path, { method, headers, ...(body && { body }) })
    expect(answer.status).toBeWithin(400, 500)
    expect(failures()).toEqual([])
  })
})

describe('a body that ends early', () => {
  /** Sends the head and half of the body, then hangs up. */
  async function abort(path: string, type: string, isChunked: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const length = isChunked ? 'Transfer-Encoding: chunked' : 'Content-Length: 1000'
    const head = [
      `POST ${path} HTTP/1.1`,
      `Host: 127.0.0.1:${server.port}`,
      `Origin: ${server.url}`,
      `Cookie: ${person.cookie}`,
      `Content-Type: ${type}`,
      'Accept: text/html',
      length,
    ].join('\r\n')
    const socket = connect(server.port, '127.0.0.1', () => {
      socket.write(`${head}\r\n\r\n${isChunked ? '5\r\nname=\r\n' : 'name=half'}`, () => {
        setTimeout(() => socket.resetAndDestroy(), 100)
      })
    })
    socket.on('error', () => undefined).on('close', () => resolve())
    await promise
  }

  test.each([
    ['/studio/new', FORM],
    ['/sign-in', FORM],
    ['/api/v1/private/games', 'application/json'],
    ['/api/auth/sign-in/email', 'application/json'],
    ['/api/auth/oauth2/token', FORM],
  ])('is no fault of ours: %s %s', async (path, type) => {
    const answered = () => server.lines.filter(({ message }) => message === 'request').length
    for (const isChunked of [false, true]) {
      const before = answered()
      await abort(path, type, isChunked)
      await waitFor('its line in the log', () => answered() > before)
    }
    expect(failures()).toEqual([])
    const statuses = server.lines.flatMap((line) => ('status' in line ? [Number(line.status)] : []))
    expect(statuses.filter((status) => status >= 500)).toEqual([])
  })
})

describe('a path that is no UTF-8', () => {
  test('is missing, whichever route it leads to', async () => {
    const faults: string[] = []
    const patterns = server.app.routes.filter(({ path }) => path.includes(':') || path.includes('*'))
    expect(patterns.length).toBeGreaterThan(200)
    for (const { method, path } of patterns) {
      for (const bad of ['%E0%A4%A', '%', '%ff']) {
        const address = path.replaceAll(/:\w+\??|\*/g, bad)
        const answer = await fetch(server.url + address, {
          method: method === 'ALL' ? 'GET' : method,
          redirect: 'manual',
          headers: { origin: server.url, cookie: person.cookie, accept: 'text/html' },
        })
        await answer.text()
        if (answer.status !== 404) faults.push(`${method} ${address}: ${answer.status}`)
      }
    }
    expect(faults).toEqual([])
    expect(failures()).toEqual([])
  })

  test('leads nowhere', async () => {
    const answer = await person.fetch('/studio/a/%E0%A4%A/z', { headers: { accept: 'text/html' } })
    expect([answer.status, answer.headers.get('location')]).toEqual([404, null])
    expect(await answer.text()).toContain('There is no such page')
  })
})
