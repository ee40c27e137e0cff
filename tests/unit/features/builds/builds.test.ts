import { describe, expect, test } from 'bun:test'

import type { ObjectStore } from '../../../../src/clients/objects/object-store.ts'
import type { Scanner } from '../../../../src/clients/scanner/scanner.ts'
import type { OperatingSystem } from '../../../../src/domain/builds/platforms.ts'
import type { EngineRange } from '../../../../src/domain/listings/engine-range.ts'
import type { CompatStatus } from '../../../../src/features/builds/comparison/model.ts'
import { checkBuild, worstOf } from '../../../../src/features/builds/comparison/service.ts'
import { inspectFile, type Outcome } from '../../../../src/features/builds/scans/inspect.ts'
import { nextAttempt } from '../../../../src/features/builds/scans/run.ts'
import { SYMBOLS_BYTES_MAX } from '../../../../src/features/builds/symbols/model.ts'
import { openSymbolFile } from '../../../../src/features/builds/symbols/upload.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { makeZip } from '../../../helpers/files/zips.ts'

function range(
  min_version: string,
  max_version: string,
  platform: OperatingSystem | null = null,
  engine = 'godot',
): EngineRange {
  return { engine, min_version, max_version, renderer: null, platform }
}

describe('a build of the parent', () => {
  test.each<[string, EngineRange[], string | null, CompatStatus]>([
    ['inside one range', [range('4.1', '4.3')], '4.2', 'compatible'],
    ['inside the second range', [range('3.0', '3.6'), range('4.1', '4.3')], '4.2', 'compatible'],
    ['a patch of the maximum', [range('4.1', '4.3')], '4.3.2', 'compatible'],
    ['above every range', [range('4.1', '4.3')], '4.4', 'incompatible'],
    ['below every range', [range('4.1', '4.3')], '4.0.4', 'incompatible'],
    ['between two ranges', [range('3.0', '3.6'), range('4.1', '4.3')], '4.0', 'incompatible'],
    ['without an engine version', [range('4.1', '4.3')], null, 'unknown'],
    ['with an engine version that is none', [range('4.1', '4.3')], 'our own', 'unknown'],
    ['without any range', [], '4.2', 'unknown'],
    ['with ranges of another engine', [range('4.1', '4.3', null, 'unity')], '4.2', 'unknown'],
    ['with ranges of another platform', [range('4.1', '4.3', 'windows')], '4.2', 'unknown'],
    ['with a range of its platform', [range('4.1', '4.3', 'linux')], '4.2', 'compatible'],
    [
      'outside the range of its platform',
      [range('4.1', '4.1', 'linux'), range('4.1', '4.3', 'windows')],
      '4.2',
      'incompatible',
    ],
    [
      'inside the range of all platforms',
      [range('4.1', '4.1', 'linux'), range('4.1', '4.3')],
      '4.2',
      'compatible',
    ],
  ])('%s', (_, ranges, engineVersion, status) => {
    expect(checkBuild(ranges, ['godot', 'blender'], { os: 'linux', engineVersion })).toBe(status)
  })

  test('of a game that names no engine is unknown', () => {
    expect(checkBuild([range('4.1', '4.3')], [], { os: 'linux', engineVersion: '4.2' })).toBe('unknown')
  })
})

test.each<[CompatStatus[], CompatStatus]>([
  [[], 'unknown'],
  [['compatible'], 'compatible'],
  [['compatible', 'unknown'], 'unknown'],
  [['unknown', 'incompatible', 'compatible'], 'incompatible'],
])('the worst of %p is %s', (statuses, worst) => {
  expect(worstOf(statuses)).toBe(worst)
})

const HOUR = 3_600_000
const since = new Date('2026-03-01T12:00:00Z')
const pauseAfter = (waitedMs: number) => {
  const now = new Date(since.getTime() + waitedMs)
  const next = nextAttempt(since, now)
  return next && next.getTime() - now.getTime()
}

test.each([
  [0, 1000],
  [1500, 1000],
  [60_000, 30_000],
  [10 * 60_000, 5 * 60_000],
  [5 * HOUR, 5 * 60_000],
  [24 * HOUR - 1, 5 * 60_000],
  [24 * HOUR, null],
])('a scan that has waited %p ms is tried again after %p ms', (waited, pause) => {
  expect(pauseAfter(waited)).toBe(pause)
})

/** A zip of empty files, and its inspection with a scanner that finds nothing. */
function inspectEmptyFiles(count: number, held: DisposableStack): Promise<Outcome> {
  const parts = Array.from({ length: count }, (_, index) => ({ name: `${index}.txt`, method: 0 }))
  const zip = makeZip(parts)
  const info = { key: 'game.zip', size: zip.length, etag: '', contentType: '', modifiedAt: since }
  const objects: Partial<ObjectStore> = {
    head: async () => info,
    async get(_, range) {
      const { start = 0, end = zip.length - 1 } = range && 'start' in range ? range : {}
      const bytes = zip.subarray(start, end + 1)
      return { stream: new Blob([bytes]).stream(), size: bytes.length, info }
    },
  }
  const scanner: Partial<Scanner> = {
    readEngine: async () => 'none',
    findKnown: async () => null,
    async scan(content) {
      await Array.fromAsync(content)
      return { verdict: 'clean', detail: null }
    },
  }
  const file = { objectKey: 'game.zip', size: zip.length, checksum: sha256Hex(zip) }
  const { signal } = new AbortController()
  return inspectFile({ objects: objects as ObjectStore, scanner: scanner as Scanner }, file, signal, held)
}

test('zips with many entries are scanned one at a time, others beside them', async () => {
  const [first, second] = [new DisposableStack(), new DisposableStack()]
  expect(await inspectEmptyFiles(5001, first)).toMatchObject({ state: 'clean' })
  let isDone = false
  const waiting = inspectEmptyFiles(5001, second).finally(() => (isDone = true))
  expect(await inspectEmptyFiles(5000, new DisposableStack())).toMatchObject({ state: 'clean' })
  expect(isDone).toBe(false)
  first.dispose()
  expect(await waiting).toMatchObject({ state: 'clean' })
  second.dispose()
})

test('a scan of many empty files lets others have their turn', async () => {
  using held = new DisposableStack()
  let turns = 0
  const timer = setInterval(() => (turns += 1), 0)
  await inspectEmptyFiles(20_000, held)
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
})

const LINE = Buffer.from('MODULE Linux x86_64 6ADAC5A0F1E94A7FB2A3C1D0E5F607180 lighthouse\n')
const BLOCK = new Uint8Array(8 * 1024 * 1024)

/** The line, and so many bytes behind it. */
function symbolsOf(line: Uint8Array, more: number): ReadableStream<Uint8Array> {
  let left = more
  let isFirst = true
  return new ReadableStream({
    pull(controller) {
      if (isFirst) controller.enqueue(line)
      else if (left === 0) controller.close()
      else {
        const piece = BLOCK.subarray(0, left)
        left -= piece.length
        controller.enqueue(piece)
      }
      isFirst = false
    },
  })
}

async function countBytes(stream: ReadableStream<Uint8Array>): Promise<number> {
  let size = 0
  for await (const bytes of stream) size += bytes.length
  return size
}

describe('a symbol file', () => {
  test('of exactly 512 MB is read to its end', async () => {
    const { stream } = await openSymbolFile(symbolsOf(LINE, SYMBOLS_BYTES_MAX - LINE.length))
    expect(await countBytes(stream)).toBe(SYMBOLS_BYTES_MAX)
  })

  test('of one byte more breaks off as too large', async () => {
    const { stream } = await openSymbolFile(symbolsOf(LINE, SYMBOLS_BYTES_MAX - LINE.length + 1))
    expect(await countBytes(stream).catch((error: unknown) => error)).toMatchObject({
      kind: 'upload_too_large',
    })
  })

  test('may arrive byte by byte', async () => {
    let at = 0
    const source = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (at === LINE.length) return controller.close()
        controller.enqueue(LINE.subarray(at, at + 1))
        at += 1
      },
    })
    const file = await openSymbolFile(source)
    expect(file).toMatchObject({ module: 'lighthouse', debugId: '6ADAC5A0F1E94A7FB2A3C1D0E5F607180' })
    expect(await new Response(file.stream).text()).toBe(LINE.toString())
  })
})
