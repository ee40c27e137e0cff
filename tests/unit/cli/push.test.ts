import { describe, expect, test } from 'bun:test'

import { ApiFailure, NetworkFailure } from '../../../src/cli/api/api-failure.ts'
import { PATIENT_MS, Retry } from '../../../src/cli/api/retry.ts'
import type { PackedEntry } from '../../../src/cli/pack/zip-spool.ts'
import { readChangelog, readChangelogText } from '../../../src/cli/push/changelog.ts'
import { planSegments, sizeOfSent } from '../../../src/cli/push/segments.ts'
import { renderBar } from '../../../src/cli/ui/bar.ts'
import { formatBytes, formatTime } from '../../../src/cli/ui/format.ts'

describe('the changelog', () => {
  const text = `# Changelog

## [1.2.0] - 2026-01-31

### Added
- **Gardens** grow
  over night
- Rain

## v1.1.0
* Old
`

  test('gives the list items of the section of the version', () => {
    expect(readChangelog(text, '1.2.0')).toEqual([
      { title: 'Gardens grow', description: 'over night' },
      { title: 'Rain', description: '' },
    ])
    expect(readChangelog(text, '1.1.0')).toEqual([{ title: 'Old', description: '' }])
    expect(readChangelog(text, '1.2')).toBeNull()
  })

  test('from the command line is one item per line', () => {
    expect(readChangelogText('One\nTwo')).toHaveLength(2)
    expect(readChangelogText('- One\n  more')).toEqual([{ title: 'One', description: 'more' }])
  })
})

describe('the difference to a base', () => {
  const MIB = 1024 ** 2
  const sha = (text: string) => text.padEnd(64, '0')
  /** Entries of one megabyte of content each, as the packer places them; folders end with a slash. */
  function place(files: Record<string, string>): { entries: PackedEntry[]; size: number } {
    const entries: PackedEntry[] = []
    let at = 0
    for (const [path, content] of Object.entries(files)) {
      const length = 30 + Buffer.byteLength(path) + (path.endsWith('/') ? 0 : MIB)
      if (!path.endsWith('/')) {
        entries.push({ path, size: 2 * MIB, sha256: sha(content), executable: false, at, length })
      }
      at += length
    }
    return { entries, size: at + 1000 }
  }

  test('copies unchanged neighbours as one range, over the folders between them', () => {
    const base = place({ 'a.txt': 'a', 'b/': '', 'b/c/': '', 'b/c/d.txt': 'd', 'e.txt': 'e' })
    const next = place({ 'a.txt': 'a', 'b/': '', 'b/c/': '', 'b/c/d.txt': 'd', 'e.txt': 'new' })
    const segments = planSegments(next.entries, base.entries, next.size)
    expect(segments.map(({ from }) => from)).toEqual([0, null])
    expect(sizeOfSent(segments)).toBe(MIB + 30 + 'e.txt'.length + 1000)
  })

  test('copies the unchanged blocks of a changed file', () => {
    const block = (hash: string, at: number) => ({ hash, at, length: MIB })
    const { entries, size } = place({ 'a.pck': 'new' })
    const [entry] = entries
    if (!entry) throw new Error('There is one entry')
    const next = {
      ...entry,
      length: 3 * MIB + 35,
      blocks: ['x', 'new', 'z'].map((hash, index) => block(hash, 35 + index * MIB)),
    }
    const base = ['x', 'y', 'z'].map((hash, index) => block(hash, 100 + index * MIB))
    const segments = planSegments([next], [], size + 2 * MIB, base)
    expect(segments.map(({ from }) => from)).toEqual([null, 100, null, 100 + 2 * MIB, null])
    expect(sizeOfSent(segments)).toBe(35 + MIB + 1000)
  })

  test('copies the content of renamed files, and covers every byte once', () => {
    const base = place({ 'a.txt': 'a', 'b.txt': 'b' })
    const next = place({ 'a.txt': 'a', 'aa.txt': 'new', 'renamed.txt': 'b' })
    const segments = planSegments(next.entries, base.entries, next.size)
    expect(sizeOfSent(segments)).toBeLessThan(MIB + 1200)
    let end = 0
    for (const { at, length } of segments) {
      expect(at).toBe(end)
      end += length
    }
    expect(end).toBe(next.size)
  })
})

describe('retries', () => {
  function createRetry() {
    let time = 0
    const pauses: number[] = []
    const clock = {
      now: () => time,
      async sleep(ms: number) {
        pauses.push(ms)
        time += ms
      },
    }
    const { signal } = new AbortController()
    return { pauses, retry: new Retry({ giveUpAfterMs: PATIENT_MS, signal, clock, hint: 'Again.' }) }
  }
  const outage = new NetworkFailure('https://store.example', new Error('refused'))

  test('pause longer and longer, and give up after ten minutes without progress', async () => {
    const { retry, pauses } = createRetry()
    const failed = (async () => {
      for (;;) await retry.pause(outage)
    })()
    expect(failed).rejects.toMatchObject({ exit: 'unreachable', hint: 'Again.' })
    await failed.catch(() => undefined)
    expect(pauses[3] ?? 0).toBeGreaterThan(pauses[0] ?? 0)
    const total = pauses.reduce((sum, pause) => sum + pause, 0)
    expect(total).toBeGreaterThan(PATIENT_MS * 0.9)
    expect(total).toBeLessThanOrEqual(PATIENT_MS)
  })

  test('wait as long as the server asks, and not at all for a refusal', async () => {
    const { retry, pauses } = createRetry()
    await retry.pause(new ApiFailure(429, { error: { code: 4291, message: 'Too many.' } }, 60_000))
    expect(pauses).toEqual([60_000])
    const refusal = new ApiFailure(400, { error: { code: 4041, message: 'No.' } }, null)
    expect(retry.pause(refusal)).rejects.toBe(refusal)
    const usedUp = new ApiFailure(413, { error: { code: 4131, message: 'Used up.' } }, null)
    expect(usedUp.exit).toBe('refused')
    expect(retry.pause(usedUp)).rejects.toBe(usedUp)
  })

  test('go on while the server is full, and tell it at the end', async () => {
    const { retry, pauses } = createRetry()
    const full = new ApiFailure(507, { error: { code: 5071, message: 'Too little room.' } }, null)
    await retry.pause(full)
    expect(pauses).toHaveLength(1)
    const failed = (async () => {
      for (;;) await retry.pause(full)
    })()
    const failure = await failed.catch((error: unknown) => error)
    expect(failure).toMatchObject({ exit: 'unreachable', code: 5071 })
    expect(String(failure)).toContain('Too little room. Tried for 10 minutes')
    expect(failure).toMatchObject({ hint: expect.stringContaining('The server has no room') })
  })
})

describe('the display', () => {
  const state = {
    phase: 'sending',
    name: 'linux.zip',
    done: 300 * 1024 ** 2,
    total: 1024 ** 3,
    speed: 12 * 1024 ** 2,
  }

  test('fits every terminal, and shows less in narrow ones', () => {
    for (let columns = 10; columns <= 200; columns += 1) {
      expect(Bun.stringWidth(renderBar(state, columns))).toBeLessThan(Math.max(columns, 15))
    }
    expect(renderBar(state, 80)).toContain('12.0 MB/s')
    expect(renderBar(state, 40)).toContain('29 %')
    expect(renderBar({ ...state, name: 'ein langer Name.zip'.repeat(5) }, 80)).toContain('█')
  })

  test('writes sizes and times as people read them', () => {
    expect([0, 1536, 5 * 1024 ** 3].map(formatBytes)).toEqual(['0 B', '1.5 kB', '5.0 GB'])
    expect([5, 750, 3723].map(formatTime)).toEqual(['0:05', '12:30', '1:02:03'])
  })
})
