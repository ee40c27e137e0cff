import { beforeAll, describe, expect, test } from 'bun:test'
import { crc32, deflateSync } from 'node:zlib'

import type { Image } from '../../../../../src/features/listings/images/model.ts'
import { sha256Hex } from '../../../../../src/lib/bytes/hash.ts'
import {
  BLUE,
  drawJpeg,
  drawPng,
  drawWebp,
  isNear,
  look,
  RED,
  send,
} from '../../../../helpers/files/pictures.ts'
import { readData, readFailure } from '../../../../helpers/json.ts'
import { type GameRow, insertGame } from '../../../../helpers/listings.ts'
import { usePerson, useStore } from '../../../../helpers/store.ts'

const server = useStore({ TRUST_PROXY: '1' })
const owner = usePerson(server)
let game: GameRow
beforeAll(async () => {
  game = await insertGame(server, owner)
})

async function upload(kind: string, file: Blob): Promise<{ image: Image; path: string; bytes: Buffer }> {
  const answer = await send(owner, `/api/v1/private/games/${game.uid}/images/${kind}`, file)
  const image = await readData<Image>(answer)
  const path = new URL(image.url).pathname
  return { image, path, bytes: Buffer.from(await (await server.fetch(path)).arrayBuffer()) }
}

describe('a picture is served', () => {
  test('under the hash of its bytes, to be asked for again after minutes, to any website', async () => {
    const { image, path, bytes } = await upload('cover', await drawPng(640, 360))
    const hash = sha256Hex(bytes)
    expect(image.url).toBe(`${server.deps.config.baseUrl}/media/${hash}.webp`)
    const answer = await server.fetch(path)
    expect(answer.status).toBe(200)
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'image/webp',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=300, must-revalidate',
      'cross-origin-resource-policy': 'cross-origin',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
      etag: `"${hash}"`,
    })
    expect(answer.headers.get('x-request-id')).toBeString()
    expect(await new Bun.Image(bytes).metadata()).toEqual({ width: 1280, height: 720, format: 'webp' })
  })

  test('as 304 to who has it, and without a body to HEAD', async () => {
    const { path, bytes } = await upload('cover', await drawPng(640, 360))
    const etag = `"${sha256Hex(bytes)}"`
    for (const known of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const answer = await server.fetch(path, { headers: { 'if-none-match': known } })
      expect(answer.status).toBe(304)
      expect(answer.headers.get('etag')).toBe(etag)
      expect(answer.headers.get('cache-control')).toContain('must-revalidate')
      expect(await answer.text()).toBe('')
    }
    expect((await server.fetch(path, { headers: { 'if-none-match': '"other"' } })).status).toBe(200)
    const head = await server.fetch(path, { method: 'HEAD' })
    expect(head.status).toBe(200)
    expect(head.headers.get('content-length')).toBe(String(bytes.length))
  })

  test.each([
    `${'0'.repeat(64)}.webp`,
    `${'0'.repeat(64)}.png`,
    `${'A'.repeat(64)}.webp`,
    `${'0'.repeat(63)}.webp`,
    '0'.repeat(64),
    'x.webp',
    '..%2f..%2fetc%2fpasswd',
    `${'0'.repeat(64)}.webp%2f..`,
  ])('and anything else is 404/4040: %s', async (file) => {
    for (const known of ['', '*']) {
      const answer = await server.fetch(`/media/${file}`, { headers: { 'if-none-match': known } })
      expect(await readFailure(answer)).toMatchObject({ status: 404, code: 4040 })
      expect(answer.headers.get('cache-control')).toBe('private, no-store')
    }
  })
})

/** A JPEG whose camera was held upright, with a place and a name in its Exif data. */
async function exifJpeg(): Promise<Blob> {
  const jpeg = Buffer.from(await (await drawJpeg(360, 640, (_, y) => (y < 0.5 ? RED : BLUE))).arrayBuffer())
  const turned = Buffer.from('4d4d002a000000080001011200030000000100080000', 'hex')
  const exif = Buffer.concat([
    Buffer.from('Exif\0\0'),
    turned,
    Buffer.from('\0\0\0\0GPS 52.5200 13.4050 secret'),
  ])
  const segment = Buffer.concat([Buffer.from([0xff, 0xe1, 0, exif.length + 2]), exif])
  const comment = Buffer.concat([Buffer.from([0xff, 0xfe, 0, 8]), Buffer.from('secret')])
  return new Blob([jpeg.subarray(0, 2), segment, comment, jpeg.subarray(2)], { type: 'image/jpeg' })
}

function pngChunk(type: string, data: Uint8Array): Buffer {
  const chunk = Buffer.concat([Buffer.alloc(4), Buffer.from(type), data, Buffer.alloc(4)])
  chunk.writeUInt32BE(data.length, 0)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, -4)), chunk.length - 4)
  return chunk
}

/** A PNG that carries text, a colour profile made of markup, and a page behind its end. */
async function polyglotPng(): Promise<Blob> {
  const png = Buffer.from(await (await drawPng(640, 360)).arrayBuffer())
  const profile = Buffer.alloc(400)
  profile.writeUInt32BE(profile.length, 0)
  profile.write('RGB ', 16)
  profile.write('acsp', 36)
  profile.write('<script>secret</script>', 200)
  const extra = [
    pngChunk('iCCP', Buffer.concat([Buffer.from('x\0\0'), deflateSync(profile)])),
    pngChunk('tEXt', Buffer.from('Comment\0secret')),
    pngChunk('eXIf', Buffer.from('secret')),
  ]
  return new Blob(
    [png.subarray(0, 33), ...extra, png.subarray(33), '<!doctype html><script>secret</script>'],
    {
      type: 'image/png',
    },
  )
}

async function xmpWebp(): Promise<Blob> {
  const webp = Buffer.from(await (await drawWebp(640, 360)).arrayBuffer())
  const chunk = (name: string, data: Buffer) => {
    const head = Buffer.alloc(8)
    head.write(name, 'latin1')
    head.writeUInt32LE(data.length, 4)
    return Buffer.concat([head, data])
  }
  const canvas = Buffer.from([4, 0, 0, 0, 0x7f, 2, 0, 0x67, 1, 0])
  const body = [
    Buffer.from('WEBP'),
    chunk('VP8X', canvas),
    webp.subarray(12),
    chunk('XMP ', Buffer.from('secret')),
  ]
  return new Blob([chunk('RIFF', Buffer.concat(body))], { type: 'image/webp' })
}

describe('what is served is only the picture', () => {
  test.each<[string, () => Promise<Blob>]>([
    ['a JPEG with a place and a comment', exifJpeg],
    ['a PNG with text, a strange profile and a page appended', polyglotPng],
    ['a WebP with XMP', xmpWebp],
  ])('%s', async (_, make) => {
    const file = await make()
    expect(Buffer.from(await file.arrayBuffer()).includes('secret')).toBe(true)
    for (const kind of ['cover', 'thumbnail', 'gallery']) {
      const { bytes } = await upload(kind, file)
      for (const trace of ['secret', 'GPS', 'Exif', 'EXIF', 'XMP', 'ICCP', 'script']) {
        expect(bytes.includes(trace)).toBe(false)
      }
    }
  })

  test('turned the way the camera was held', async () => {
    const { bytes } = await upload('gallery', await exifJpeg())
    const shown = await look(bytes)
    expect(shown).toMatchObject({ width: 640, height: 360 })
    expect(isNear(shown.at(0.1, 0.5), RED)).toBe(true)
    expect(isNear(shown.at(0.9, 0.5), BLUE)).toBe(true)
  })
})
