import { afterAll, beforeEach, describe, expect, test } from 'bun:test'
import type { FileHandle } from 'node:fs/promises'

import { writeAll } from '../../../../src/cli/install/durable.ts'
import {
  ChangedFile,
  RateLimiter,
  RemoteFile,
  StaleLink,
} from '../../../../src/cli/install/fetch/remote-file.ts'
import { cleanPath, findUnfitNames, requireFitNames } from '../../../../src/cli/install/record.ts'

/** Takes three bytes at a time, as a nearly full disk may. */
function openShort(): { written: string[]; handle: Pick<FileHandle, 'write'> } {
  const written: string[] = []
  const write = (bytes: Uint8Array, offset: number, length: number, position: number | null) => {
    const taken = bytes.subarray(offset, offset + Math.min(length, 3))
    written.push(`${new TextDecoder().decode(taken)} at ${position}`)
    return Promise.resolve({ bytesWritten: taken.length, buffer: bytes })
  }
  return { written, handle: { write: write as FileHandle['write'] } }
}

test('what a write leaves is written next, where it belongs', async () => {
  const { written, handle } = openShort()
  await writeAll(handle, new TextEncoder().encode('lanterns'), 100)
  expect(written).toEqual(['lan at 100', 'ter at 103', 'ns at 106'])
})

test('without a position it goes on at the end', async () => {
  const { written, handle } = openShort()
  await writeAll(handle, new TextEncoder().encode('lamp'))
  expect(written).toEqual(['lam at null', 'p at null'])
})

const fits = (paths: string[], platform: NodeJS.Platform = 'linux', folder = '/games/moss') =>
  findUnfitNames(paths, folder, platform)

describe('names', () => {
  test('that lead out of the folder are refused on every system', () => {
    const hostile = ['../a', 'a/../../b', '/etc/passwd', 'C:/x', 'a\\..\\b', '\u001B[2J', 'nul', 'a:b']
    for (const platform of ['linux', 'darwin', 'win32'] as const)
      for (const path of hostile) expect([path, fits([path], platform).length]).toEqual([path, 1])
  })

  test('of the folder that shelf needs are refused, however they are written', () => {
    expect(fits(['.shelf/install.json', './.SHELF/x', '.shelf', '.\u017Fhelf/x', '.shelf./x'])).toHaveLength(
      5,
    )
    expect(fits(['.shelfish', 'a/.shelf/b'])).toEqual([])
  })

  test('that are one file on some system are refused', () => {
    expect(fits(['Data.pck', 'data.pck'])).toHaveLength(1)
    expect(fits(['a', 'a/b'])).toHaveLength(1)
  })

  test('that Windows cannot write are refused there', () => {
    for (const path of ['a?.txt', 'b*', 'dir./x', 'end ']) {
      expect(fits([path], 'win32')).toHaveLength(1)
      expect(fits([path], 'linux')).toEqual([])
    }
  })

  test('that are too long are refused by the rules of the system', () => {
    const long = 'ä'.repeat(128)
    expect(fits([long], 'linux')).toHaveLength(1)
    expect(fits([long], 'darwin')).toEqual([])
    const deep = `${'folder/'.repeat(36)}file`
    expect(fits([deep], 'linux')).toEqual([])
    expect(fits([deep], 'win32', String.raw`C:\Games\moss`)).toHaveLength(1)
  })

  test('are all listed at once, without those beyond the first twenty', () => {
    const paths = Array.from({ length: 30 }, (_, index) => `../${index}`)
    expect(() => requireFitNames(paths, '/games')).toThrow(/"\.\.\/0"[^]*and 10 more/)
    expect(() => requireFitNames(['a/b'], '/games')).not.toThrow()
  })

  test('lose empty parts and dots', () => {
    expect(cleanPath('./a//b/./c')).toBe('a/b/c')
  })
})

describe('remote file', () => {
  const SIZE = 100
  const CONNECTIONS = 8

  let refusedLinks = 0
  let links = 0
  let answer = Promise.withResolvers<void>()
  /** Refuses the first links; nobody is answered before all ask. */
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      await answer.promise
      if (Number(new URL(request.url).pathname.slice(1)) <= refusedLinks)
        return new Response(null, { status: 403 })
      const headers = { 'content-range': `bytes 0-${SIZE - 1}/${SIZE}` }
      return new Response(new Uint8Array(SIZE), { status: 206, headers })
    },
  })
  afterAll(() => server.stop(true))
  beforeEach(() => {
    links = 0
    answer = Promise.withResolvers<void>()
  })

  function open(): RemoteFile {
    const readLink = () => Promise.resolve({ url: `${server.url.href}${(links += 1)}`, expires_in: 600 })
    const { signal } = new AbortController()
    const options = { size: SIZE, limiter: new RateLimiter(null), signal, onBytes: () => undefined }
    return new RemoteFile(readLink as ConstructorParameters<typeof RemoteFile>[0], options)
  }

  const read = async (remote: RemoteFile) =>
    await Array.fromAsync(remote.stream(0, SIZE), ({ length }) => length)

  test('a link that ended early counts once, however many connections used it', async () => {
    refusedLinks = 1
    const remote = open()
    const reads = Array.from({ length: CONNECTIONS }, () => read(remote).catch((error: unknown) => error))
    answer.resolve()
    for (const error of await Promise.all(reads)) expect(error).toBeInstanceOf(StaleLink)
    const again = await Promise.all(Array.from({ length: CONNECTIONS }, () => read(remote)))
    expect(again.flat()).toEqual(Array.from({ length: CONNECTIONS }, () => SIZE))
    expect(links).toBe(2)
  })

  test('a file whose every link is refused is given up', async () => {
    refusedLinks = Number.POSITIVE_INFINITY
    const remote = open()
    answer.resolve()
    for (let attempt = 0; attempt < 3; attempt += 1)
      expect(await read(remote).catch((error: unknown) => error)).toBeInstanceOf(StaleLink)
    expect(await read(remote).catch((error: unknown) => error)).toBeInstanceOf(ChangedFile)
  })
})
