import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { createClamdScanner } from '../../src/clients/scanner/clamd.ts'
import type { Scanner } from '../../src/clients/scanner/scanner.ts'
import { isClamdInstalled, type RunningClamd, startClamd } from '../helpers/engines/clamd.ts'
import { EICAR } from '../helpers/files/zips.ts'

const MB = 1024 ** 2
const LIMIT_MB = 8
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'clamd-test-'))
})
afterAll(() => rm(dir, { recursive: true, force: true }))

describe.skipIf(!isClamdInstalled() && process.env.REQUIRE_ENGINES !== '1')('clamd', () => {
  let clamd: RunningClamd
  const address = () => ({ host: '127.0.0.1', port: clamd.port })
  beforeAll(async () => {
    clamd = await startClamd(dir, { settings: { StreamMaxLength: `${LIMIT_MB}M` } })
  })
  afterAll(() => clamd.stop())

  test('is reached over a socket too', async () => {
    const scanner = createClamdScanner({ path: clamd.socketPath })
    await scanner.check()
    expect(await scanner.scan(zeros(1, EICAR))).toMatchObject({ verdict: 'infected' })
    expect(await scanner.scan(zeros(1))).toMatchObject({ verdict: 'clean' })
    await scanner.dispose()
  })

  test.each([
    ['TCP', () => address()],
    ['a socket', () => ({ path: clamd.socketPath })],
  ])('tells over %s what to set when a file is over its limit, and goes on', async (_, where) => {
    const scanner = createClamdScanner(where())
    for (let round = 0; round < 20; round += 1) {
      expect(scanner.scan(zeros(LIMIT_MB * 4))).rejects.toMatchObject({
        name: 'ScannerError',
        fault: 'limit',
        message: expect.stringContaining('StreamMaxLength, MaxFileSize and MaxScanSize in clamd.conf'),
      })
    }
    expect(await scanner.scan(zeros(LIMIT_MB - 1, EICAR))).toMatchObject({ verdict: 'infected' })
    await scanner.dispose()
  })

  describe('gets long files in parts that overlap', () => {
    const PART = 256 * 1024
    const OVERLAP = 64 * 1024
    let scanner: Scanner
    beforeAll(() => {
      scanner = createClamdScanner(address(), { partSize: PART })
    })
    afterAll(() => scanner.dispose())

    test('and finds nothing where nothing is', async () => {
      expect(await scanner.scan(inPieces(Buffer.alloc(5 * PART + 1), 10_000))).toMatchObject({
        verdict: 'clean',
      })
    })

    // The first part ends at PART; each later one adds PART - OVERLAP bytes.
    const boundaries = [PART, 2 * PART - OVERLAP, 3 * PART - 2 * OVERLAP]
    const sizes = [67, 1000, 65_535, 65_536, 65_537, 100_000, PART, PART + 1, 4 * PART]
    // Before the boundary, after its first byte, in the middle, before its last byte, and behind.
    const shifts = [0, 1, EICAR.length / 2, EICAR.length - 1, EICAR.length]
    test.each(sizes)(
      'so that a signature is found wherever it is cut, in pieces of %d bytes',
      async (size) => {
        const cuts = boundaries.flatMap((boundary) => shifts.map((shift) => boundary - shift))
        const verdicts = await Promise.all(
          cuts.map(async (at) => {
            const bytes = Buffer.alloc(3 * PART)
            EICAR.copy(bytes, at)
            return [at, (await scanner.scan(inPieces(bytes, size))).verdict] as const
          }),
        )
        expect(verdicts.filter(([, verdict]) => verdict !== 'infected')).toEqual([])
      },
    )

    test('also when it comes byte by byte', async () => {
      for (let cut = 0; cut <= EICAR.length; cut += 1) {
        const pieces = [
          Buffer.alloc(PART - cut),
          ...Array.from(EICAR, (byte) => Buffer.from([byte])),
          Buffer.alloc(0),
          Buffer.alloc(1),
          Buffer.alloc(PART),
        ]
        expect(await scanner.scan(streamOf(pieces))).toMatchObject({ verdict: 'infected' })
      }
    })
  })

  test('is never asked over more connections than allowed, and they are used again', async () => {
    const relay = startRelay(clamd.port)
    const scanner = createClamdScanner({ host: '127.0.0.1', port: relay.port }, { connections: 3 })
    for (let round = 0; round < 3; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => scanner.scan(zeros(1))))
    }
    expect(relay.opened()).toBe(3)
    await scanner.dispose()
    relay.stop()
  })

  test('that dies in the middle of a scan is down, and works again when it is back', async () => {
    const folder = await mkdtemp(join(dir, 'dies-'))
    const first = await startClamd(folder)
    const scanner = createClamdScanner({ host: '127.0.0.1', port: first.port })
    await scanner.check()
    async function* killing() {
      yield Buffer.alloc(MB)
      await first.stop()
      for (let sent = 0; sent < 100; sent += 1) yield Buffer.alloc(MB)
    }
    expect(scanner.scan(killing())).rejects.toMatchObject({ fault: 'down' })
    expect(scanner.scan(zeros(1))).rejects.toMatchObject({ fault: 'down' })
    const second = await startClamd(folder, { port: first.port })
    expect(await scanner.scan(zeros(1, EICAR))).toMatchObject({ verdict: 'infected' })
    await scanner.dispose()
    await second.stop()
  })
})

describe('what is not clamd', () => {
  test.each([
    ['nothing listens', { host: '127.0.0.1', port: 1 }],
    ['no such socket', { path: '/nowhere/clamd.sock' }],
  ])('%s: down', async (_, address) => {
    const scanner = createClamdScanner(address)
    expect(scanner.check()).rejects.toMatchObject({ name: 'ScannerError', fault: 'down' })
    expect(scanner.scan(zeros(1))).rejects.toMatchObject({ fault: 'down' })
  })

  const answering: [what: string, answer: string | null, fault: string, message: string][] = [
    ['silence', null, 'down', 'did not answer in time'],
    ['a web server', 'HTTP/1.1 400 Bad Request\r\n\r\n', 'answer', 'is not clamd: HTTP/1.1 400'],
    ['another service', '1: HELLO\0', 'answer', 'answered "HELLO"'],
    ['a closed connection', '', 'down', 'closed the connection'],
    ['a fault of clamd', "1: Can't create temporary file ERROR\0", 'answer', 'temporary file ERROR'],
  ]
  test.each(answering)('%s', async (_, answer, fault, message) => {
    const fake = startFake(answer)
    const limit = answer === null ? { answerTimeoutMs: 200 } : {}
    const scanner = createClamdScanner({ host: '127.0.0.1', port: fake.port }, limit)
    expect(scanner.check()).rejects.toMatchObject({ fault, message: expect.stringContaining(message) })
    expect(scanner.scan(zeros(1))).rejects.toMatchObject({ fault })
    fake.stop(true)
  })

  test('a limit that clamd reports like a virus is told as a limit', async () => {
    const fake = startFake('1: stream: Heuristics.Limits.Exceeded.MaxFileSize FOUND\0', false)
    const scanner = createClamdScanner({ host: '127.0.0.1', port: fake.port })
    expect(scanner.scan(zeros(1))).rejects.toMatchObject({ fault: 'limit' })
    fake.stop(true)
  })
})

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}

async function* inPieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function* zeros(megabytes: number, end?: Uint8Array): AsyncGenerator<Uint8Array> {
  const piece = Buffer.alloc(MB)
  for (let sent = 0; sent < megabytes; sent += 1) yield piece
  if (end) yield end
}

/** Says one thing to whoever writes; null: nothing. */
function startFake(answer: string | null, closes = true) {
  return Bun.listen({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      data(socket) {
        if (answer === null) return
        socket.write(answer)
        if (closes) socket.end()
      },
    },
  })
}

/** Passes everything on and counts who came. */
function startRelay(port: number) {
  let opened = 0
  const listener = Bun.listen<{ far: ReturnType<typeof connect> }>({
    hostname: '127.0.0.1',
    port: 0,
    socket: {
      open(near) {
        opened += 1
        const far = connect(port, '127.0.0.1')
        far.on('data', (bytes: Buffer) => void near.write(bytes))
        far.on('error', () => near.end())
        near.data = { far }
      },
      data: (near, bytes) => void near.data.far.write(Buffer.from(bytes)),
      close: (near) => void near.data.far.destroy(),
    },
  })
  return { port: listener.port, opened: () => opened, stop: () => listener.stop(true) }
}
