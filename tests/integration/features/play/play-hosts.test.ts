import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'

import { eq } from 'drizzle-orm'

import { games } from '../../../../src/db/schema/games/games.ts'
import { createRandom } from '../../../../src/lib/random.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { randomAddress } from '../../../helpers/people.ts'
import { ask, PAGE, pinOf, releaseWeb, visit } from '../../../helpers/play.ts'
import { SELLING_ENV } from '../../../helpers/selling/selling.ts'
import { startTestServer } from '../../../helpers/server.ts'
import { usePerson, useStore } from '../../../helpers/store.ts'
import { waitFor } from '../../../helpers/wait.ts'

const server = useStore({ TRUST_PROXY: '1', ...SELLING_ENV })
const owner = usePerson(server)
let uid: string
let other: string
beforeAll(async () => {
  uid = (await insertPublicGame(server, owner)).uid
  other = (await insertPublicGame(server, owner)).uid
  await releaseWeb(server, uid)
  await releaseWeb(server, other, [
    { name: 'index.html', data: 'SECRET' },
    { name: 'secret.txt', data: 'SECRET' },
  ])
})

describe('on the origin of a game', () => {
  test('no route of the store answers', async () => {
    const paths = new Set(
      server.app.routes.map(({ path }) => path.replaceAll(/:\w+/g, 'x').replaceAll('*', 'x') || '/'),
    )
    paths.delete('/')
    expect(paths.size).toBeGreaterThan(150)
    for (const path of ['/health', '/ready', '/sign-in', '/assets/site.css', ...paths]) {
      const answer = await visit(server, uid, path, {
        cookie: owner.cookie,
        'x-forwarded-for': randomAddress(),
      })
      expect([path, answer.status]).toEqual([path, 404])
      expect(answer.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      await answer.body?.cancel()
    }
  })

  test('only GET and HEAD answer', async () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'QUERY'])
      expect([method, (await visit(server, uid, '/', {}, method)).status]).toEqual([method, 404])
  })

  test('the host is read in all its forms', async () => {
    const hosts = [
      `${uid}.localhost`,
      `${uid}.localhost:${server.port}`,
      `${uid}.localhost:1`,
      `${uid}.localhost.`,
      `${uid}.localhost.:${server.port}`,
      `${uid.toUpperCase()}.LOCALHOST`,
    ]
    for (const host of hosts) {
      const answer = await ask(server, host, '/')
      expect([host, answer.status, (await answer.text()).startsWith(PAGE)]).toEqual([host, 200, true])
    }
  })

  test('an unknown label is a plain 404', async () => {
    for (const label of ['x', crypto.randomUUID(), `x${uid}`, 'www', '127', 'a'.repeat(63), '-', '%00'])
      expect([label, (await visit(server, label, '/')).status]).toEqual([label, 404])
  })

  test('what a proxy says about another host changes nothing', async () => {
    const forwarded = { 'x-forwarded-host': `${uid}.localhost`, forwarded: `host=${uid}.localhost` }
    const store = await ask(server, `127.0.0.1:${server.port}`, '/game.js', forwarded)
    expect(store.status).toBe(404)
    const game = await visit(server, uid, '/health', { 'x-forwarded-host': `127.0.0.1:${server.port}` })
    expect(game.status).toBe(404)
  })

  test('a request line with a whole address still belongs to its Host header', async () => {
    const answer = await sendRaw(
      `GET http://127.0.0.1:${server.port}/health HTTP/1.1\r\nHost: ${uid}.localhost\r\nConnection: close\r\n\r\n`,
    )
    expect(answer).toStartWith('HTTP/1.1 404')
  })
})

test('on hosts of the store no file of a game is a page', async () => {
  const hosts = [
    `127.0.0.1:${server.port}`,
    `localhost:${server.port}`,
    `a.${uid}.localhost`,
    `${uid}.localhost.example`,
    `.localhost`,
    uid,
  ]
  for (const host of hosts)
    for (const path of ['/game.js', '/game.wasm', '/.playshelf/sdk.js', `/${uid}/index.html`])
      expect([host, path, (await ask(server, host, path)).status]).toEqual([host, path, 404])
})

describe('bad input', () => {
  const HOSTILE = [
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/%2e%2e%2fsecret.txt',
    '/a/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/%00',
    '/index.html%00',
    '/index.html%00.js',
    String.raw`/\index.html`,
    '/%5cindex.html',
    '/%',
    '/%ff%fe',
    '/%E0%A4%A',
    '//index.html',
    '/./index.html%2f',
    '/index.html/',
    `/${'a'.repeat(5000)}`,
    `/${'%2e%2e%2f'.repeat(500)}etc/passwd`,
    '/index.html?ticket=x&'.repeat(100),
    '/?ticket=',
    '/?ticket=%00',
    `/?ticket=${'x'.repeat(5000)}`,
    '/?ticket=a.b.c.d.e.f.g',
  ]

  test('paths that lead nowhere are a plain 404 or 403', async () => {
    for (const path of HOSTILE) {
      const raw = await sendRaw(
        `GET ${path} HTTP/1.1\r\nHost: ${uid}.localhost\r\nConnection: close\r\nX-Forwarded-For: ${randomAddress()}\r\n\r\n`,
      )
      expect([path, /^HTTP\/1\.1 (200|40[0134]) /.test(raw)]).toEqual([path, true])
      expect(raw).not.toContain('SECRET')
      if (raw.startsWith('HTTP/1.1 200')) expect(raw).toContain(PAGE)
    }
  })

  test('10,000 random paths and hosts: no failure of ours, no file of another game', async () => {
    const random = createRandom('play')
    const parts = [
      'index.html',
      'secret.txt',
      'game.js',
      '..',
      '.',
      '%2e%2e',
      '%00',
      '%5c',
      '\\',
      'ü',
      '%',
      '%zz',
      ' ',
      '',
      'a'.repeat(300),
      other,
      uid,
      '.playshelf',
      'sdk.js',
      '*',
      '//',
      ';',
      '?ticket=',
      '#',
    ]
    const labels = [uid, uid, uid, 'x', '..', '', '*', 'localhost', crypto.randomUUID(), `${uid}.${uid}`]
    const cookies = [
      pinOf(await visit(server, other, '/')).cookie,
      'play=',
      'play=x.y.z',
      '=;=;play',
      `play=${'x'.repeat(2000)}`,
    ]
    const statuses = new Map<number, number>()
    const once = async () => {
      const path = `/${random.draw(parts, random.below(5)).join(random.pick(['/', '', '%2f', '\\']))}`
      const headers = {
        'x-forwarded-for': randomAddress(),
        ...(random.chance(0.3) && { cookie: random.pick(cookies) }),
        ...(random.chance(0.2) && {
          range: random.pick(['bytes=0-', 'bytes=-1', 'bytes=9-1', 'bytes=a', 'x'.repeat(500)]),
        }),
        ...(random.chance(0.2) && { 'accept-encoding': random.pick(['gzip', '*', ';;;', 'gzip;q=0']) }),
        ...(random.chance(0.2) && { 'if-none-match': random.pick(['*', '"', 'W/']) }),
      }
      const host = `${random.pick(labels)}.localhost${random.pick(['', '.', ':80', ':x'])}`
      const answer = await ask(
        server,
        host,
        path,
        headers,
        random.pick(['GET', 'GET', 'GET', 'HEAD', 'POST']),
      )
      const text = await answer.text()
      statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
      if (answer.status >= 500 || text.includes('SECRET')) throw new Error(`${answer.status} ${host} ${path}`)
    }
    for (let round = 0; round < 100; round += 1) await Promise.all(Array.from({ length: 100 }, once))
    expect(statuses.get(200)).toBeGreaterThan(50)
    expect(statuses.get(404)).toBeGreaterThan(1000)
  })
})

test('an address gets 6,000 files of one origin in a minute', async () => {
  const game = (await insertPublicGame(server, owner)).uid
  await releaseWeb(server, game)
  const headers = { 'x-forwarded-for': randomAddress(), 'if-none-match': '*' }
  for (let round = 0; round < 60; round += 1) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => visit(server, game, '/', headers)))
    expect(answers.every(({ status }) => status === 304)).toBe(true)
  }
  const refused = await visit(server, game, '/', headers)
  expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true])
  expect(refused.headers.get('ratelimit-limit')).toBe('6000')
  expect((await visit(server, uid, '/', headers)).status).toBe(304)
  const other = await visit(server, game, '/', { 'x-forwarded-for': randomAddress() })
  expect([other.status, other.headers.has('ratelimit-limit')]).toEqual([200, false])
})

test('service workers are refused, and those of a game that was taken down are removed', async () => {
  const game = (await insertPublicGame(server, owner)).uid
  await releaseWeb(server, game)
  const ask = (path: string) => visit(server, game, path, { 'service-worker': 'script' })
  for (const path of ['/game.js', '/', '/missing.js', '/.playshelf/sdk.js']) {
    const answer = await ask(path)
    const cleared = answer.headers.get('clear-site-data')
    expect([path, answer.status, cleared]).toEqual([path, 403, null])
    expect(await answer.text()).toContain('Games cannot register service workers here.')
  }
  expect((await visit(server, game, '/game.js')).status).toBe(200)

  const takenDown = { at: new Date().toISOString(), reason: 'Malware.', visibility: 'public' } as const
  await server.deps.db.update(games).set({ takenDown, visibility: 'owner' }).where(eq(games.uid, game))
  await waitFor('the take-down', async () => (await visit(server, game, '/game.js')).status === 404)
  const removed = await ask('/game.js')
  expect([removed.status, removed.headers.get('clear-site-data')]).toEqual([403, '"storage"'])
  expect((await visit(server, game, '/')).headers.has('clear-site-data')).toBe(false)
})

test('processes that serve no games answer nothing at their origins', async () => {
  for (const ROLE of ['upload', 'worker']) {
    const apart = await startTestServer({ ROLE, PLAY_URL: 'https://*.play.example' })
    try {
      for (const path of ['/', '/health', '/ready', '/game.js'])
        expect([ROLE, path, (await ask(apart, `${uid}.play.example`, path)).status]).toEqual([
          ROLE,
          path,
          404,
        ])
      expect((await ask(apart, `127.0.0.1:${apart.port}`, '/health')).status).toBe(200)
    } finally {
      await apart.stop()
    }
  }
})

async function sendRaw(text: string): Promise<string> {
  return await new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(server.port, '127.0.0.1', () => socket.write(text))
    socket.on('data', (bytes) => (received += bytes.toString('latin1')))
    socket
      .on('end', () => resolve(received))
      .on('close', () => resolve(received))
      .on('error', reject)
  })
}
