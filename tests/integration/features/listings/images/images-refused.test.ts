import { beforeAll, describe, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { crc32, deflateSync } from 'node:zlib'

import { eq } from 'drizzle-orm'

import { images } from '../../../../../src/db/schema/games/game-pages.ts'
import { drawJpeg, drawPng, drawWebp, send } from '../../../../helpers/files/pictures.ts'
import { readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../../helpers/listings.ts'
import { FORM_TYPE, formFile } from '../../../../helpers/site/forms.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertGame(server, owner)
})

const path = () => `/api/v1/private/games/${game.uid}/images/cover`
const saved = () => server.deps.db.select().from(images).where(eq(images.gameUid, game.uid))

const NOT_AN_IMAGE = 'The file must be a PNG, JPEG or WebP image.'
const ENDS_EARLY = 'The image is truncated: a part of the file is missing. Upload it again.'
const TOO_LARGE = 'The image is too large: the limit is 16384 pixels per side and 40 million in total.'
const TOO_MANY_SCANS = 'The JPEG has too many scans. Save it again as a normal JPEG.'
const BROKEN = 'The image cannot be decoded: it is damaged or animated.'
const GIF =
  'GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01\x00\x00\x02\x02D\x01\x00;'
const SVG = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

const bytesOf = async (blob: Blob) => Buffer.from(await blob.arrayBuffer())
const binary = (text: string, type = '') => new Blob([Buffer.from(text, 'latin1')], { type })

async function cut(draw: Promise<Blob>, share: number): Promise<Blob> {
  const blob = await draw
  return blob.slice(0, Math.floor(blob.size * share), blob.type)
}

/** A PNG that claims any size, with as much data as given. */
async function claim(width: number, height: number, rows?: Buffer): Promise<Blob> {
  const png = await bytesOf(await drawPng(16, 16))
  png.writeUInt32BE(width, 16)
  png.writeUInt32BE(height, 20)
  png.writeUInt32BE(crc32(png.subarray(12, 29)), 29)
  if (!rows) return new Blob([png], { type: 'image/png' })
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from('IDAT'), deflateSync(rows), Buffer.alloc(4)])
  chunk.writeUInt32BE(chunk.length - 12, 0)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return new Blob([png.subarray(0, 33), chunk, png.subarray(-12)], { type: 'image/png' })
}

/** Each scan is another pass over all pixels: these would keep a decoder for many minutes. */
async function manyScans(): Promise<Blob> {
  const plain = await bytesOf(await drawJpeg(400, 300))
  const jpeg = Buffer.from(await new Bun.Image(plain).jpeg({ progressive: true }).bytes())
  const scan = jpeg.subarray(jpeg.lastIndexOf(Buffer.from([0xff, 0xda])), -2)
  const scans = Array.from({ length: 10_000 }, () => scan)
  return new Blob([jpeg.subarray(0, -2), ...scans, jpeg.subarray(-2)], { type: 'image/jpeg' })
}

async function animatedWebp(): Promise<Blob> {
  const frame = (await bytesOf(await drawWebp(64, 64))).subarray(12)
  const size = Buffer.from([63, 0, 0, 63, 0, 0])
  const chunk = (name: string, data: Buffer) => {
    const head = Buffer.alloc(8)
    head.write(name, 'latin1')
    head.writeUInt32LE(data.length, 4)
    return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
  }
  const frames = chunk('ANMF', Buffer.concat([Buffer.alloc(6), size, Buffer.from([100, 0, 0, 0]), frame]))
  const canvas = chunk('VP8X', Buffer.concat([Buffer.from([2, 0, 0, 0]), size]))
  const body = Buffer.concat([Buffer.from('WEBP'), canvas, chunk('ANIM', Buffer.alloc(6)), frames, frames])
  return new Blob([chunk('RIFF', body)], { type: 'image/webp' })
}

describe('400/4000 and nothing saved:', () => {
  test.each<[string, () => Blob | Promise<Blob>, string]>([
    ['an empty file', () => binary(''), 'The file is empty; it must be a PNG, JPEG or WebP image.'],
    ['text', () => binary('hello'), NOT_AN_IMAGE],
    ['text that says it is a PNG', () => binary('hello', 'image/png'), NOT_AN_IMAGE],
    ['HTML', () => binary('<!doctype html><script>alert(1)</script>', 'text/html'), NOT_AN_IMAGE],
    ['SVG', () => binary(SVG, 'image/svg+xml'), NOT_AN_IMAGE],
    ['GIF', () => binary(GIF, 'image/gif'), NOT_AN_IMAGE],
    ['BMP', () => binary(`BM${'\0'.repeat(60)}`, 'image/bmp'), NOT_AN_IMAGE],
    ['TIFF', () => binary(`II*\0${'\0'.repeat(60)}`, 'image/tiff'), NOT_AN_IMAGE],
    ['HEIC', () => binary(`\0\0\0\x18ftypheic${'\0'.repeat(60)}`, 'image/heic'), NOT_AN_IMAGE],
    ['AVIF', () => binary(`\0\0\0\x18ftypavif${'\0'.repeat(60)}`, 'image/avif'), NOT_AN_IMAGE],
    ['another RIFF', () => binary(`RIFF\x10\0\0\0WAVE${'\0'.repeat(60)}`), NOT_AN_IMAGE],
    [
      'a JPEG sent as PNG',
      async () => new Blob([await drawJpeg(64, 36)], { type: 'image/png' }),
      'The file was sent as image/png, but is image/jpeg.',
    ],
    [
      'a PNG sent as GIF',
      async () => new Blob([await drawPng(64, 36)], { type: 'image/gif' }),
      'The file was sent as image/gif, but is image/png.',
    ],
    ['half a PNG', () => cut(drawPng(400, 300), 0.5), ENDS_EARLY],
    ['a PNG without its last chunk', () => cut(drawPng(400, 300), 0.99), ENDS_EARLY],
    ['half a JPEG', () => cut(drawJpeg(400, 300), 0.5), ENDS_EARLY],
    ['nearly a whole JPEG', () => cut(drawJpeg(400, 300), 0.99), ENDS_EARLY],
    ['half a WebP', () => cut(drawWebp(400, 300), 0.5), ENDS_EARLY],
    ['the first bytes of a WebP', () => binary('RIFF\x10\0\0\0WEBP'), ENDS_EARLY],
    ['a PNG signature alone', () => cut(drawPng(16, 16), 0.1), ENDS_EARLY],
    ['a JPEG of two markers', () => binary('\xff\xd8\xff\xd9', 'image/jpeg'), BROKEN],
    ['an animated WebP', animatedWebp, BROKEN],
    ['a JPEG of 10,000 scans', manyScans, TOO_MANY_SCANS],
    ['a PNG with too little data', () => claim(200, 200), BROKEN],
    ['15 pixels of height', () => drawPng(64, 15), 'The image is 64×15 pixels, but must be at least 16×16.'],
    ['a side that is too long', () => claim(16_385, 16), TOO_LARGE],
    ['a bomb that only claims its size', () => claim(60_000, 60_000), TOO_LARGE],
    ['the largest claim there is', () => claim(0x7fffffff, 0x7fffffff), TOO_LARGE],
  ])('%s', async (_, make, message) => {
    const failure = await readFailure(await send(owner, path(), await make()))
    expect(failure).toMatchObject({ status: 400, code: 4000, message })
    expect(failure.data).toEqual({ issues: [{ path: 'file', message }] })
    expect(await saved()).toEqual([])
  })

  test('a bomb with all its pixels in it, without growing memory', async () => {
    const bomb = await claim(7000, 7000, Buffer.alloc((7000 * 4 + 1) * 7000))
    expect(bomb.size).toBeLessThan(1_000_000)
    Bun.gc(true)
    const before = process.memoryUsage.rss()
    const answers = await Promise.all(Array.from({ length: 10 }, () => send(owner, path(), bomb)))
    const grown = process.memoryUsage.rss() - before
    for (const answer of answers)
      expect(await readFailure(answer)).toMatchObject({ code: 4000, message: TOO_LARGE })
    expect(grown).toBeLessThan(100 * 1024 * 1024)
  })
})

describe('the form', () => {
  const put = (init: RequestInit) => owner.fetch(path(), { method: 'PUT', ...init })

  test('must be a form (415/4150)', async () => {
    for (const type of ['application/json', 'image/png', 'application/x-www-form-urlencoded']) {
      const answer = await put({ headers: { 'content-type': type }, body: '{}' })
      expect(await readFailure(answer)).toMatchObject({
        status: 415,
        code: 4150,
        message: 'Send the body as multipart/form-data.',
      })
    }
    expect((await put({})).status).toBe(415)
  })

  test('must hold one file under the name file (400/4000)', async () => {
    const picture = await drawPng(64, 36)
    const two = new FormData()
    two.append('file', picture)
    two.append('file', picture)
    const none = new FormData()
    none.set('kind', 'cover')
    for (const answer of [
      await send(owner, path(), picture, 'image'),
      await put({ body: two }),
      await put({ body: none }),
      await put({ headers: { 'content-type': FORM_TYPE }, body: 'hello' }),
      await put({ headers: { 'content-type': FORM_TYPE }, body: formFile('file', 'no end') }),
    ]) {
      expect(await readFailure(answer)).toMatchObject({ status: 400, code: 4000 })
    }
    expect(await saved()).toEqual([])
  })

  test('may hold 16 MB and not a byte more (413/4130)', async () => {
    const padded = async (size: number) => {
      const picture = await drawPng(64, 36)
      return new Blob([picture, new Uint8Array(size - picture.size)], { type: 'image/png' })
    }
    const limit = 16 * 1024 * 1024
    for (const size of [limit + 1, limit * 3]) {
      const failure = await readFailure(await send(owner, path(), await padded(size)))
      expect(failure).toMatchObject({ status: 413, code: 4130 })
    }
    expect((await send(owner, path(), await padded(limit))).status).toBe(200)
    await server.deps.db.delete(images)
  })

  test('is worth nothing when its sender hangs up', async () => {
    const socket = connect(server.port, '127.0.0.1')
    const head = [
      `PUT ${path()} HTTP/1.1`,
      'host: localhost',
      `cookie: ${owner.cookie}`,
      `origin: ${server.url}`,
      `content-type: ${FORM_TYPE}`,
      'content-length: 100000',
    ]
    socket.write(`${head.join('\r\n')}\r\n\r\n${formFile('file', 'half of it')}`, () => socket.destroy())
    expect((await send(owner, path(), await drawPng(64, 36))).status).toBe(200)
    expect(await saved()).toHaveLength(1)
  })
})
