import { afterEach, beforeAll, describe, expect, spyOn, test } from 'bun:test'
import { connect } from 'node:net'

import { images } from '../../../../src/db/schema/games/game-pages.ts'
import { AppError } from '../../../../src/errors.ts'
import { openPressZip } from '../../../../src/features/listings/press/service.ts'
import { readZip } from '../../../helpers/files/zip.ts'
import { readData, readFailure } from '../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../helpers/listings.ts'
import { type Person, randomAddress, signUp } from '../../../helpers/people.ts'
import { useLoggedStore } from '../../../helpers/store.ts'

const MB = 1024 ** 2
const CHUNK = 64 * 1024

const server = useLoggedStore({ TRUST_PROXY: '1' })
let owner: Person
beforeAll(async () => {
  owner = await signUp(server)
})

type Kind = 'cover' | 'thumbnail' | 'gallery'

let count = 0
/** A picture in the table, and its bytes in the store unless told otherwise. */
async function insertImage(game: GameRow, kind: Kind, bytes: string | null, size = 4): Promise<string> {
  count += 1
  const objectKey = `images/picture-${count}.webp`
  if (bytes !== null) await server.deps.objects.put(objectKey, Buffer.from(bytes))
  const row = { gameUid: game.uid, kind, objectKey, width: 640, height: 360, size, position: count }
  await server.deps.db.insert(images).values(row)
  return objectKey
}

const makeGame = () => insertGame(server, owner, { visibility: 'public' })
const pathOf = (game: GameRow) => `/api/v1/public/games/${game.vanityName}/press.zip`
const load = (game: GameRow, address = randomAddress()) =>
  server.fetch(pathOf(game), { headers: { 'x-forwarded-for': address } })
const readBytes = async (answer: Response) => new Uint8Array(await answer.arrayBuffer())
const loadZip = async (game: GameRow) => readZip(await readBytes(await load(game)))
const namesIn = async (game: GameRow) => (await loadZip(game)).map(({ name }) => name)

describe('press.zip', () => {
  test('contains factsheet.json and an images folder with cover, thumbnail and gallery', async () => {
    const game = await makeGame()
    await insertImage(game, 'gallery', 'first')
    await insertImage(game, 'thumbnail', 'thumb')
    await insertImage(game, 'gallery', 'second')
    await insertImage(game, 'cover', 'cover')
    const answer = await load(game)
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/zip')
    expect(answer.headers.get('content-disposition')).toBe(
      `attachment; filename="${game.vanityName}-press.zip"`,
    )
    expect(answer.headers.get('cache-control')).toBe('no-store')

    const [factsheet, ...pictures] = readZip(await readBytes(answer))
    expect(factsheet?.name).toBe('factsheet.json')
    const page = await server.fetch(pathOf(game).replace('.zip', ''))
    expect(JSON.parse(Buffer.from(factsheet?.bytes ?? []).toString())).toEqual(await readData<unknown>(page))
    expect(pictures.map(({ name, bytes }) => [name, Buffer.from(bytes).toString()])).toEqual([
      ['images/cover.webp', 'cover'],
      ['images/thumbnail.webp', 'thumb'],
      ['images/gallery-01.webp', 'first'],
      ['images/gallery-02.webp', 'second'],
    ])
  })

  test('of a listing without images holds the factsheet alone, and is the same every time', async () => {
    const game = await makeGame()
    expect(await namesIn(game)).toEqual(['factsheet.json'])
    const [first, second] = [await readBytes(await load(game)), await readBytes(await load(game))]
    expect(Buffer.from(first).equals(second)).toBe(true)
  })

  test('images over 16 MB are left out', async () => {
    const game = await makeGame()
    await insertImage(game, 'cover', 'cover', 16 * MB + 1)
    await insertImage(game, 'gallery', 'large', 16 * MB + 1)
    await insertImage(game, 'gallery', 'fits', 16 * MB)
    expect(await namesIn(game)).toEqual(['factsheet.json', 'images/gallery-02.webp'])
  })

  test('images beyond 64 MB in total are left out, and smaller ones after them still go in', async () => {
    const game = await makeGame()
    for (const size of [16 * MB, 16 * MB, 16 * MB, 10 * MB, 7 * MB, 6 * MB, 1]) {
      await insertImage(game, 'gallery', 'x', size)
    }
    expect(await namesIn(game)).toEqual([
      'factsheet.json',
      'images/gallery-01.webp',
      'images/gallery-02.webp',
      'images/gallery-03.webp',
      'images/gallery-04.webp',
      'images/gallery-06.webp',
    ])
  })

  test('an image missing from the store is left out and logged', async () => {
    const game = await makeGame()
    const objectKey = await insertImage(game, 'cover', null)
    await insertImage(game, 'thumbnail', 'thumb')
    expect(await namesIn(game)).toEqual(['factsheet.json', 'images/thumbnail.webp'])
    expect(server.lines).toContainEqual(
      expect.objectContaining({ message: 'An image of a press zip is missing', object_key: objectKey }),
    )
  })

  test('is answered to 30 requests a minute per IP', async () => {
    const game = await makeGame()
    const address = randomAddress()
    for (let left = 29; left >= 0; left -= 1) {
      const answer = await load(game, address)
      expect(answer.status).toBe(200)
      expect(answer.headers.get('ratelimit-limit')).toBe('30')
      expect(answer.headers.get('ratelimit-remaining')).toBe(String(left))
      await readBytes(answer)
    }
    const refused = await load(game, address)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await readFailure(refused)).toMatchObject({ status: 429, code: 4290 })
    expect((await load(game)).status).toBe(200)
  })
})

describe('a store of endless images', () => {
  const spies: { mockRestore(): void }[] = []
  afterEach(() => spies.splice(0).forEach((spy) => spy.mockRestore()))

  /** 16 MB each; tells how many were opened and when one was given up. */
  function openEndlessStore() {
    const { promise: cancelled, resolve } = Promise.withResolvers<void>()
    const facts = { opened: 0, chunks: 0, cancelled }
    const get = spyOn(server.deps.objects, 'get').mockImplementation(async (key) => {
      facts.opened += 1
      let left = (16 * MB) / CHUNK
      const stream = new ReadableStream<Uint8Array>(
        {
          pull(controller) {
            facts.chunks += 1
            controller.enqueue(new Uint8Array(CHUNK))
            left -= 1
            if (left === 0) controller.close()
          },
          cancel: () => resolve(),
        },
        { highWaterMark: 0 },
      )
      const info = { key, size: 16 * MB, etag: '"x"', contentType: 'image/webp', modifiedAt: new Date() }
      return { stream, size: 16 * MB, info }
    })
    spies.push(get)
    return facts
  }

  async function makeLargeGame(): Promise<GameRow> {
    const game = await makeGame()
    for (let made = 0; made < 4; made += 1) await insertImage(game, 'gallery', null, 16 * MB)
    return game
  }

  test('is read whole by a client that takes everything', async () => {
    const facts = openEndlessStore()
    const zip = await loadZip(await makeLargeGame())
    expect(zip.map(({ bytes }) => bytes.length).slice(1)).toEqual([16 * MB, 16 * MB, 16 * MB, 16 * MB])
    expect(facts).toMatchObject({ opened: 4, chunks: 1024 })
  })

  test('is never read ahead of the reader', async () => {
    const facts = openEndlessStore()
    const { bytes } = await openPressZip(server.deps, { kind: 'anonymous' }, (await makeLargeGame()).uid)
    let taken = 0
    for await (const part of bytes) {
      if (part.length === CHUNK) taken += 1
      expect(facts.chunks).toBe(taken)
    }
    expect(taken).toBe(1024)
  })

  test('is closed for a reader that leaves before the first byte of an image', async () => {
    const facts = openEndlessStore()
    const { bytes } = await openPressZip(server.deps, { kind: 'anonymous' }, (await makeLargeGame()).uid)
    while (facts.opened === 0) await bytes.next()
    await bytes.return(undefined)
    await facts.cancelled
    expect(facts).toMatchObject({ opened: 1, chunks: 0 })
  })

  test('is given up when the client hangs up', async () => {
    const facts = openEndlessStore()
    const game = await makeLargeGame()
    const socket = connect(server.port, '127.0.0.1')
    socket.write(`GET ${pathOf(game)} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await new Promise((resolve) => {
      socket.once('data', resolve)
    })
    socket.destroy()
    await facts.cancelled
    expect(facts.opened).toBe(1)
  })

  test('is not opened for HEAD', async () => {
    const facts = openEndlessStore()
    const game = await makeLargeGame()
    const answer = await server.fetch(pathOf(game), { method: 'HEAD' })
    expect(answer.status).toBe(200)
    expect(answer.headers.get('content-type')).toBe('application/zip')
    expect(facts.opened).toBe(0)
  })

  test('that fails breaks the download off, so nobody takes it for whole', async () => {
    const game = await makeLargeGame()
    const failing = async () => Promise.reject(new AppError('service_down'))
    spies.push(spyOn(server.deps.objects, 'get').mockImplementation(failing))
    const whole = await load(game)
      .then(readBytes)
      .catch(() => null)
    expect(whole).toBeNull()
    expect(server.lines).toContainEqual(
      expect.objectContaining({ message: 'A press zip was aborted', game_uid: game.uid }),
    )
  })
})
