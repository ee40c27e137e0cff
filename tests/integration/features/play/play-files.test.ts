import { beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { brotliCompressSync, gunzipSync } from 'node:zlib'

import { eq, sql } from 'drizzle-orm'

import { fileEntries } from '../../../../src/db/schema/builds.ts'
import { games } from '../../../../src/db/schema/games/games.ts'
import * as contentsQueries from '../../../../src/features/builds/contents/queries.ts'
import { recordPlaces } from '../../../../src/features/builds/contents/record.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { insertPublicGame } from '../../../helpers/listings.ts'
import { type Person, signUp } from '../../../helpers/people.ts'
import { pinOf, releaseWeb, visit } from '../../../helpers/play.ts'
import { useStore } from '../../../helpers/store.ts'
import { describeEachStorage } from '../../../helpers/uploads/uploads.ts'
import { waitFor } from '../../../helpers/wait.ts'

const LARGE = Buffer.alloc(
  3_000_000,
  Array.from({ length: 9973 }, (_, at) => String.fromCharCode(33 + ((at * at) % 90))).join(''),
)
const PAGE = Buffer.from('<!doctype html><title>Lanterns</title>'.repeat(30))
const CONTENT: Readonly<Record<string, Buffer>> = {
  'index.html': PAGE,
  'levels/index.html': Buffer.from('levels'.repeat(40)),
  'a b/ü.txt': Buffer.from('umlaut'.repeat(40)),
  'engine.js': Buffer.from('run()'.repeat(500)),
  'engine.wasm': LARGE,
  'empty.txt': Buffer.alloc(0),
}
const STORED: Readonly<Record<string, Buffer>> = {
  'game.pck': LARGE,
  'game.data.br': brotliCompressSync(LARGE),
  'game.js.gz': Buffer.from(Bun.gzipSync(LARGE)),
}
const PARTS = [
  ...Object.entries(CONTENT).map(([name, data]) => ({ name, data })),
  ...Object.entries(STORED).map(([name, data]) => ({ name, data, method: 0 })),
  { name: 'packed.data.br', data: brotliCompressSync(PAGE) },
]
const GZIP = { 'accept-encoding': 'gzip, deflate, br, zstd' }

describeEachStorage('files of a game', (env) => {
  const server = useStore(env)
  let owner: Person
  let uid: string
  beforeAll(async () => {
    owner = await signUp(server)
    uid = (await insertPublicGame(server, owner)).uid
    await releaseWeb(server, uid, PARTS)
  })

  const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer())

  test('are sent as they lie to clients that accept gzip, and inflated for others', async () => {
    for (const [name, content] of Object.entries(CONTENT)) {
      const path = `/${encodeURIComponent(name).replaceAll('%2F', '/')}`
      const packed = await visit(server, uid, path, GZIP)
      expect([name, packed.status, packed.headers.get('content-encoding')]).toEqual([name, 200, 'gzip'])
      expect(gunzipSync(await bytesOf(packed)).equals(content)).toBe(true)
      const plain = await visit(server, uid, path)
      expect([name, plain.status, plain.headers.get('content-encoding')]).toEqual([name, 200, null])
      expect((await bytesOf(plain)).equals(content)).toBe(true)
      expect(plain.headers.get('vary')).toBe('accept-encoding')
    }
  })

  test('a client that excludes gzip gets the content itself', async () => {
    const answer = await visit(server, uid, '/engine.js', { 'accept-encoding': 'gzip;q=0, br' })
    expect(answer.headers.get('content-encoding')).toBeNull()
    expect((await bytesOf(answer)).equals(CONTENT['engine.js'] ?? Buffer.alloc(0))).toBe(true)
  })

  test('are the same each time, whatever was asked for in between', async () => {
    const read = async () => {
      const answer = await visit(server, uid, '/engine.js', GZIP)
      const headers = Object.fromEntries([...answer.headers].filter(([name]) => name !== 'date'))
      return { status: answer.status, headers, bytes: sha256Hex(await bytesOf(answer)) }
    }
    const first = await read()
    const others = [{ 'if-none-match': first.headers['etag'] ?? '' }, { 'if-none-match': '"other"' }]
    for (const headers of others) {
      const isKnown = headers['if-none-match'] === first.headers['etag']
      const answer = await visit(server, uid, '/engine.js', { ...GZIP, ...headers })
      expect(answer.status).toBe(isKnown ? 304 : 200)
      await answer.arrayBuffer()
      expect(await read()).toEqual(first)
    }
    expect(await (await visit(server, uid, '/engine.js')).text()).toBe('run()'.repeat(500))
    expect(await read()).toEqual(first)
  })

  test('folders answer with their index page', async () => {
    const root = await visit(server, uid, '/')
    expect((await bytesOf(root)).equals(PAGE)).toBe(true)
    const folder = await visit(server, uid, '/levels/')
    expect(await folder.text()).toBe('levels'.repeat(40))
    expect((await visit(server, uid, '/levels')).status).toBe(404)
  })

  test('have the media type of their extension and are never guessed', async () => {
    const types: [string, string][] = [
      ['/', 'text/html'],
      ['/engine.js', 'text/javascript'],
      ['/engine.wasm', 'application/wasm'],
      ['/game.pck', 'application/octet-stream'],
      ['/game.data.br', 'application/octet-stream'],
      ['/game.js.gz', 'text/javascript'],
    ]
    for (const [path, type] of types) {
      const { headers } = await visit(server, uid, path, GZIP, 'HEAD')
      expect([path, headers.get('content-type')?.split(';')[0]]).toEqual([path, type])
      expect(headers.get('x-content-type-options')).toBe('nosniff')
    }
  })

  test('that are compressed themselves say so', async () => {
    const br = await visit(server, uid, '/game.data.br', GZIP)
    expect(br.headers.get('content-encoding')).toBe('br')
    expect((await bytesOf(br)).equals(STORED['game.data.br'] ?? Buffer.alloc(0))).toBe(true)
    const gz = await visit(server, uid, '/game.js.gz', GZIP)
    expect(gz.headers.get('content-encoding')).toBe('gzip')
    expect(gunzipSync(await bytesOf(gz)).equals(LARGE)).toBe(true)
    const twice = await visit(server, uid, '/packed.data.br', GZIP)
    expect(twice.headers.get('content-encoding')).toBe('br, gzip')
    expect(gunzipSync(await bytesOf(twice)).equals(brotliCompressSync(PAGE))).toBe(true)
  })

  test('carry their SHA-256 as tag, revalidate, and answer 304', async () => {
    for (const [name, content] of [...Object.entries(CONTENT).slice(0, 1), ...Object.entries(STORED)]) {
      const tag = `"${sha256Hex(content)}"`
      const first = await visit(server, uid, `/${name}`, GZIP)
      expect([first.headers.get('etag'), first.headers.get('cache-control')]).toEqual([tag, 'no-cache'])
      await first.body?.cancel()
      for (const sent of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
        const again = await visit(server, uid, `/${name}`, { ...GZIP, 'if-none-match': sent })
        expect([again.status, await again.text()]).toEqual([304, ''])
        expect(again.headers.get('etag')).toBe(tag)
        expect(again.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
      }
      const other = await visit(server, uid, `/${name}`, { ...GZIP, 'if-none-match': '"x"' })
      expect(other.status).toBe(200)
      await other.body?.cancel()
    }
  })

  test('answer single ranges where they are stored without compression', async () => {
    const size = LARGE.length
    const tag = `"${sha256Hex(LARGE)}"`
    const cases: [string, number, number][] = [
      ['bytes=0-99', 0, 99],
      ['bytes=2999990-', 2_999_990, size - 1],
      ['bytes=-10', size - 10, size - 1],
      ['bytes=100-99999999', 100, size - 1],
    ]
    for (const [range, start, end] of cases) {
      const answer = await visit(server, uid, '/game.pck', { ...GZIP, range })
      expect([range, answer.status]).toEqual([range, 206])
      expect(answer.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`)
      expect((await bytesOf(answer)).equals(LARGE.subarray(start, end + 1))).toBe(true)
    }
    const outside = await visit(server, uid, '/game.pck', { range: `bytes=${size}-` })
    expect([outside.status, outside.headers.get('content-range')]).toEqual([416, `bytes */${size}`])
    const wholes: Record<string, string>[] = [
      { range: 'bytes=0-1,5-6' },
      { range: 'lines=0-1' },
      { range: 'bytes=9-1' },
      { range: 'bytes=0-1', 'if-range': '"another"' },
    ]
    for (const whole of wholes) {
      const answer = await visit(server, uid, '/game.pck', whole)
      expect([answer.status, (await bytesOf(answer)).length]).toEqual([200, size])
    }
    const same = await visit(server, uid, '/game.pck', { range: 'bytes=0-1', 'if-range': tag })
    expect(same.status).toBe(206)
    const deflated = await visit(server, uid, '/engine.js', { ...GZIP, range: 'bytes=0-1' })
    expect([deflated.status, deflated.headers.get('accept-ranges')]).toEqual([200, null])
  })

  test('that are large are sent from a copy after the first time, whole and in parts', async () => {
    const game = await insertPublicGame(server, owner)
    const data = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000))).toString('hex')
    const noise = Buffer.concat(Array.from({ length: 8 }, (_, at) => Buffer.from(`${at}${data}`)))
    const parts = [
      { name: 'index.html', data: PAGE },
      { name: 'large.wasm', data: noise },
      { name: 'large.pck', data: noise, method: 0 },
    ]
    await releaseWeb(server, game.uid, parts)
    const load = async (path: string, headers = {}) => {
      const answer = await visit(server, game.uid, path, { ...GZIP, ...headers })
      return { answer, bytes: await bytesOf(answer) }
    }
    // A stream has no length; a copy has one.
    await waitFor('a copy', async () => {
      const { answer, bytes } = await load('/large.wasm')
      expect(gunzipSync(bytes).equals(noise)).toBe(true)
      return answer.headers.has('content-length')
    })
    const all = await Promise.all(Array.from({ length: 20 }, () => load('/large.wasm')))
    for (const { bytes } of all) expect(gunzipSync(bytes).equals(noise)).toBe(true)
    await waitFor('a copy of what is stored', async () => {
      const { answer, bytes } = await load('/large.pck')
      expect(bytes.equals(noise)).toBe(true)
      return answer.headers.has('content-length')
    })
    const ranges = Array.from({ length: 20 }, (_, at) => [at * 40_000, at * 40_000 + 30_000] as const)
    await Promise.all(
      ranges.map(async ([start, end]) => {
        const { answer, bytes } = await load('/large.pck', { range: `bytes=${start}-${end}` })
        expect(answer.status).toBe(206)
        expect(bytes.equals(noise.subarray(start, end + 1))).toBe(true)
      }),
    )
  })

  test('answer HEAD like GET, without a body', async () => {
    for (const path of ['/', '/engine.wasm', '/game.pck', '/empty.txt']) {
      const [head, get] = [await visit(server, uid, path, GZIP, 'HEAD'), await visit(server, uid, path, GZIP)]
      expect([path, head.status, await head.text()]).toEqual([path, 200, ''])
      for (const name of [
        'etag',
        'content-type',
        'content-encoding',
        'cache-control',
        'vary',
        'accept-ranges',
      ])
        expect([path, name, head.headers.get(name)]).toEqual([path, name, get.headers.get(name)])
      await get.body?.cancel()
    }
    const head = await visit(server, uid, '/game.pck', {}, 'HEAD')
    expect(head.headers.get('content-length')).toBe(String(LARGE.length))
  })

  test('tell the length of what GET sends, compressed, plain or refused', async () => {
    for (const path of ['/', '/engine.wasm', '/game.pck', '/empty.txt', '/missing.txt'])
      for (const headers of [GZIP, {}]) {
        const head = await visit(server, uid, path, headers, 'HEAD')
        const sent = await bytesOf(await visit(server, uid, path, headers))
        expect([path, head.headers.get('content-length')]).toEqual([path, String(sent.length)])
      }
  })

  test('of a zip with more than 5,000 are looked up one by one', async () => {
    const game = await insertPublicGame(server, owner)
    const { fileUid } = await releaseWeb(server, game.uid, [
      { name: 'Game/index.html', data: PAGE },
      { name: 'Game/a.txt', data: 'a' },
    ])
    await server.deps.db.execute(sql`
      insert into ${fileEntries} (file_uid, path, size, sha256, at, length, method, crc32, packed, data_at)
      select ${fileUid}, 'Game/many/' || number, 0, ${sha256Hex('')}, 0, 0, 0, 0, 0, 0
      from generate_series(1, 5000) as number`)
    using listed = spyOn(contentsQueries, 'listContents')
    for (let round = 0; round < 2; round += 1) {
      expect(await bytesOf(await visit(server, game.uid, '/'))).toEqual(PAGE)
      for (const path of ['/a.txt', '/Game/a.txt', '/many/5000'])
        expect([path, (await visit(server, game.uid, path)).status]).toEqual([path, 200])
      for (const path of ['/b.txt', '/many/5001', '/%F0%9F%98%80'])
        expect([path, (await visit(server, game.uid, path)).status]).toEqual([path, 404])
    }
    expect(listed).not.toHaveBeenCalled()
  })

  test('lie in the only folder of the zip too', async () => {
    const game = await insertPublicGame(server, owner)
    await releaseWeb(server, game.uid, [
      { name: 'My Game/', method: 0 },
      { name: 'My Game/index.html', data: PAGE },
      { name: 'My Game/data/a.bin', data: 'a' },
    ])
    for (const path of ['/', '/index.html', '/My%20Game/index.html', '/data/a.bin', '/My%20Game/data/a.bin'])
      expect([path, (await visit(server, game.uid, path)).status]).toEqual([path, 200])
    expect((await visit(server, game.uid, '/b.bin')).status).toBe(404)
  })

  test('of an older upload are prepared on the first visit', async () => {
    const game = await insertPublicGame(server, owner)
    const { fileUid } = await releaseWeb(server, game.uid)
    await server.deps.db.update(fileEntries).set({ dataAt: null }).where(eq(fileEntries.fileUid, fileUid))
    const early = await visit(server, game.uid, '/')
    expect([early.status, early.headers.get('retry-after')]).toEqual([503, '2'])
    await recordPlaces(server.deps, fileUid, new AbortController().signal)
    expect((await visit(server, game.uid, '/')).status).toBe(200)
  })

  test('whose object is gone are missing, not a failure', async () => {
    const game = await insertPublicGame(server, owner)
    const { fileUid } = await releaseWeb(server, game.uid)
    const pin = pinOf(await visit(server, game.uid, '/'))
    await server.deps.objects.delete(`builds/${game.uid}/${fileUid}.zip`)
    for (const path of ['/', '/game.js', '/game.wasm'])
      for (const encoding of ['gzip', 'identity'])
        expect((await visit(server, game.uid, path, { ...pin, 'accept-encoding': encoding })).status).toBe(
          404,
        )
  })
})

describe('headers of a play origin', () => {
  const server = useStore()
  let uid: string
  beforeAll(async () => {
    uid = (await insertPublicGame(server, await signUp(server))).uid
    await releaseWeb(server, uid)
  })

  const ISOLATED = {
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-embedder-policy': 'require-corp',
  }

  test('every answer can be loaded by an isolated page', async () => {
    const answers = [
      await visit(server, uid, '/'),
      await visit(server, uid, '/game.wasm', { range: 'bytes=0-1' }),
      await visit(server, uid, '/.playshelf/sdk.js'),
      await visit(server, uid, '/missing'),
      await visit(server, uid, '/?ticket=x'),
      await visit(server, uid, '/', {}, 'POST'),
      await visit(server, 'nobody', '/'),
    ]
    expect(answers.map(({ status }) => status)).toEqual([200, 206, 200, 404, 403, 404, 404])
    for (const { headers } of answers) {
      expect(Object.fromEntries(headers)).toMatchObject({
        ...ISOLATED,
        'cross-origin-resource-policy': 'cross-origin',
        'x-content-type-options': 'nosniff',
      })
      expect(headers.get('content-security-policy')).toContain(`frame-ancestors ${server.url}`)
    }
  })

  test('a game may do in its frame what engines need, and no more', async () => {
    const { headers } = await visit(server, uid, '/')
    const policy = (headers.get('content-security-policy') ?? '').split('; ')
    expect(policy).toEqual(
      expect.arrayContaining([
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:",
        `connect-src 'self' ${server.url} https: wss: blob: data:`,
        "object-src 'none'",
        "base-uri 'self'",
        "form-action 'none'",
        `frame-ancestors ${server.url}`,
      ]),
    )
    const features = (headers.get('permissions-policy') ?? '').split(', ')
    for (const allowed of [
      'fullscreen',
      'gamepad',
      'autoplay',
      'accelerometer',
      'gyroscope',
      'xr-spatial-tracking',
      'pointer-lock',
    ])
      expect(features).toContain(`${allowed}=(self)`)
    for (const denied of ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'bluetooth'])
      expect(features).toContain(`${denied}=()`)
  })

  test('files are not isolated where the developer turned it off', async () => {
    const player = {
      width: 960,
      height: 600,
      isolation: false,
      autostart: false,
      signed_out: true,
      mobile: true,
      downloadable: false,
    }
    await server.deps.db.update(games).set({ webPlayer: player }).where(eq(games.uid, uid))
    const plain = await waitFor('the new setting', async () => {
      const answer = await visit(server, uid, '/')
      return !answer.headers.has('cross-origin-embedder-policy') && answer
    })
    expect(plain.headers.get('cross-origin-opener-policy')).toBeNull()
    expect(plain.headers.get('cross-origin-resource-policy')).toBe('cross-origin')
  })
})
