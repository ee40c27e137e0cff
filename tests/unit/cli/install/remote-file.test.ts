import { afterAll, beforeEach, expect, test } from 'bun:test'

import {
  ChangedFile,
  RateLimiter,
  RemoteFile,
  StaleLink,
} from '../../../../src/cli/install/fetch/remote-file.ts'

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
