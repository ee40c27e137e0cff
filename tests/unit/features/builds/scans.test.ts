import { expect, test } from 'bun:test'

import type { ObjectStore } from '../../../../src/clients/objects/object-store.ts'
import type { Scanner } from '../../../../src/clients/scanner/scanner.ts'
import { inspectFile, type Outcome } from '../../../../src/features/builds/scans/inspect.ts'
import { nextAttempt } from '../../../../src/features/builds/scans/run.ts'
import { sha256Hex } from '../../../../src/lib/bytes/hash.ts'
import { makeZip } from '../../../helpers/files/zips.ts'

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
