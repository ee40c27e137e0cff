import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { openScanner } from '../../src/clients/scanner/open-scanner.ts'
import type { Scanner, Verdict } from '../../src/clients/scanner/scanner.ts'
import { parseConfig } from '../../src/config/config.ts'
import type { ScannerSettings } from '../../src/domain/service-settings.ts'
import { createLogger } from '../../src/lib/log.ts'
import { EICAR, makeZip } from '../helpers/files/zips.ts'

const CLAMD_MISSING = process.env.TEST_CLAMD_URL === undefined && process.env.REQUIRE_ENGINES !== '1'
const CLEAN = { verdict: 'clean', detail: null } as const
const MB = 1024 ** 2

const kinds: [kind: string, isMissing: boolean, settings: () => ScannerSettings, engine: RegExp][] = [
  ['builtin', false, () => parseConfig({}).scanner, /no antivirus/],
  [
    'clamd',
    CLAMD_MISSING,
    () => parseConfig({ SCANNER_URL: process.env.TEST_CLAMD_URL }).scanner,
    /^ClamAV \d/,
  ],
]

for (const [kind, isMissing, settings, engine] of kinds) {
  describe.skipIf(isMissing)(`scanner: ${kind}`, () => {
    let scanner: Scanner
    let dir: string
    beforeAll(async () => {
      dir = await mkdtemp(join(tmpdir(), 'scanner-test-'))
      scanner = openScanner(settings(), dir, createLogger({ level: 'silent', pretty: false }))
    })
    afterAll(async () => {
      await scanner.dispose()
      await rm(dir, { recursive: true, force: true })
    })

    test('says what it is', async () => {
      expect(await scanner.readEngine()).toMatch(engine)
      await scanner.check()
    })

    test.each([
      ['plain bytes', [Buffer.from('hello')]],
      ['nothing', []],
      ['empty pieces', [Buffer.alloc(0), Buffer.from('a'), Buffer.alloc(0)]],
      ['a part of the test file', [EICAR.subarray(0, -1)]],
      ['half a zip', [makeZip([{ name: 'a', data: 'hello' }]).subarray(0, 40)]],
    ])('%s is clean', async (_, pieces) => {
      expect(await scanner.scan(streamOf(pieces))).toEqual(CLEAN)
    })

    test('the EICAR test file is found alone and among other bytes', async () => {
      expectFound(await scanner.scan(streamOf([EICAR])))
      const amid = Buffer.concat([Buffer.alloc(100_000, 'a'), EICAR, Buffer.alloc(100_000, 'b')])
      expectFound(await scanner.scan(streamOf([amid])))
    })

    test('it is found wherever the border of two pieces lies', async () => {
      const bytes = Buffer.concat([Buffer.from('before'), EICAR, Buffer.from('after')])
      for (let at = 1; at < bytes.length; at += 1) {
        expectFound(await scanner.scan(streamOf([bytes.subarray(0, at), bytes.subarray(at)])))
      }
    })

    test('it is found in pieces of one byte', async () => {
      const bytes = Buffer.concat([Buffer.from('before'), EICAR, Buffer.from('after')])
      expectFound(await scanner.scan(streamOf([...bytes].map((byte) => Buffer.from([byte])))))
    })

    test('it is found at the end of 64 MB', async () => {
      const block = Buffer.alloc(MB, 'a')
      expectFound(await scanner.scan(streamOf([...Array<Buffer>(64).fill(block), EICAR])))
    })

    test('it is found packed in a zip', async () => {
      const zip = makeZip([
        { name: 'a.txt', data: 'hello' },
        { name: 'deep/down/b.txt', data: EICAR },
      ])
      expect(zip.includes(EICAR)).toBe(false)
      expectFound(await scanner.scan(streamOf([zip.subarray(0, 3), zip.subarray(3)])))
      const harmless = makeZip([{ name: 'a.txt', data: 'hello' }])
      expect(await scanner.scan(streamOf([harmless]))).toEqual(CLEAN)
    })

    const virus = { name: 'virus.com', data: EICAR }
    test.each([
      ['a name that leads out', makeZip([{ ...virus, name: '../virus.com' }])],
      ['a name that is a device', makeZip([{ ...virus, name: 'CON' }])],
      ['a link beside it', makeZip([{ name: 'a', data: 'b', mode: 0o120_777 }, virus])],
      ['an encrypted file beside it', makeZip([{ name: 'a', data: 'b', flags: 1 }, virus])],
      ['a gap', makeZip([{ name: 'a', data: 'b', after: Buffer.alloc(100) }, virus])],
      ['two files of one name', makeZip([{ name: 'a', data: 'b' }, virus, { name: 'A', data: 'b' }])],
      ['a comment that holds a zip', makeZip([virus], { comment: 'PK\u0003\u0004' })],
    ])('it is found in a zip with %s', async (_, zip) => {
      expect(zip.includes(EICAR)).toBe(false)
      expectFound(await scanner.scan(streamOf([zip])))
    })

    test('a zip whose directory points outside of it is clean', async () => {
      const zip = makeZip([{ name: 'a', data: 'hello', offset: 5_000_000 }])
      expect(await scanner.scan(streamOf([zip]))).toEqual(CLEAN)
    })

    test('many scans at once all get their own answer', async () => {
      const verdicts = await Promise.all(
        Array.from({ length: 40 }, (_, index) =>
          scanner.scan(streamOf([Buffer.from(`file ${index}`), index % 2 === 0 ? EICAR : Buffer.from('x')])),
        ),
      )
      expect(verdicts.map(({ verdict }) => verdict)).toEqual(
        verdicts.map((_, index) => (index % 2 === 0 ? 'infected' : 'clean')),
      )
    })

    test('a stream that fails is told by its own error, and the next scan works', async () => {
      async function* broken() {
        yield Buffer.from('hello')
        throw new Error('the disk is gone')
      }
      for (let round = 0; round < 10; round += 1) {
        expect(scanner.scan(broken())).rejects.toThrow('the disk is gone')
      }
      expectFound(await scanner.scan(streamOf([EICAR])))
    })

    test('stops when it is told to', async () => {
      const stop = new AbortController()
      async function* endless() {
        for (let sent = 0; ; sent += 1) {
          if (sent === 3) stop.abort(new Error('no more'))
          yield Buffer.from('hello')
          await Bun.sleep(1)
        }
      }
      expect(scanner.scan(endless(), { signal: stop.signal })).rejects.toThrow('no more')
      expect(await scanner.scan(streamOf([Buffer.from('hello')]))).toEqual(CLEAN)
    })
  })
}

function expectFound({ verdict, detail }: Verdict): void {
  expect(verdict).toBe('infected')
  expect(detail).toMatch(/eicar/i)
}

async function* streamOf(pieces: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* pieces
}
