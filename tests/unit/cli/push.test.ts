import { describe, expect, test } from 'bun:test'

import { ApiFailure, NetworkFailure } from '../../../src/cli/api/api-failure.ts'
import { PATIENT_MS, Retry } from '../../../src/cli/api/retry.ts'
import { readChangelog, readChangelogText } from '../../../src/cli/push/changelog.ts'
import { type NewZip, type PlacedEntry, planSegments, sizeOfSent } from '../../../src/cli/push/segments.ts'
import { renderBar } from '../../../src/cli/ui/bar.ts'
import { formatTime } from '../../../src/cli/ui/format.ts'
import { formatBytes } from '../../../src/lib/text/byte-sizes.ts'
import type { ContentsEntry } from '../../../src/lib/zip/contents.ts'

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
  /** Entries of one megabyte each, as the packer places them; folders end with a slash, and blocks are letters. */
  function place(files: Record<string, string | string[]>): NewZip & { contents: ContentsEntry[] } {
    const entries: PlacedEntry[] = []
    let at = 0
    for (const [path, content] of Object.entries(files)) {
      at += 30 + Buffer.byteLength(path)
      if (path.endsWith('/')) continue
      const blocks = [content].flat().map((name) => ({ sha256: sha(name), size: 2 * MIB, packedSize: MIB }))
      const length = blocks.length * MIB
      const isWhole = typeof content === 'string'
      const sums = isWhole ? { sha256: sha(content) } : { sha256: null, blocks }
      entries.push({ path, size: 2 * length, ...sums, at, length })
      at += length
    }
    const contents = entries.map(({ at: dataAt, length: packed, sha256, blocks = null, ...entry }) => ({
      ...entry,
      dataAt,
      packed,
      method: 8,
      mode: null,
      blocks,
      // The store knows both.
      sha256: sha256 ?? sha(`whole ${blocks?.map((block) => block.sha256[0]).join('')}`),
    }))
    return { entries, size: at + 1000, isPacked: true, contents }
  }

  test('copies unchanged neighbours as one range, over the headers between them', () => {
    const base = place({ 'a.txt': 'a', 'b/': '', 'b/c/': '', 'b/c/d.txt': 'd', 'e.txt': 'e' })
    const next = place({ 'a.txt': 'a', 'b/': '', 'b/c/': '', 'b/c/d.txt': 'd', 'e.txt': 'new' })
    const segments = planSegments(next, base.contents)
    expect(segments.map(({ from }) => from)).toEqual([null, 35, null])
    expect(sizeOfSent(segments)).toBe(35 + MIB + 30 + 'e.txt'.length + 1000)
  })

  test('sends the headers of a zip that was not packed here', () => {
    const base = place({ 'a.txt': 'a', 'b.txt': 'b' })
    const segments = planSegments({ ...base, isPacked: false }, base.contents)
    expect(segments.map(({ from }) => from)).toEqual([null, 35, null, MIB + 70, null])
  })

  test('copies the unchanged blocks of a changed file, wherever they were', () => {
    const base = place({ 'a.pck': ['x', 'y', 'z', 'end'], 'b.pck': ['moved', 'last'] })
    const next = place({ 'a.pck': ['new', 'x', 'moved', 'z', 'end'] })
    const segments = planSegments(next, base.contents)
    const [a, b] = base.contents.map(({ dataAt }) => dataAt)
    if (a === undefined || b === undefined) throw new Error('There are two entries')
    expect(segments.map(({ from }) => from)).toEqual([null, a, b, a + 2 * MIB, null])
    expect(sizeOfSent(segments)).toBe(35 + MIB + 1000)
  })

  test('copies no last block into the middle: it ends the packed bytes of its file', () => {
    const base = place({ 'a.pck': ['x', 'y'] })
    const segments = planSegments(place({ 'a.pck': ['y', 'new'] }), base.contents)
    expect(segments.every(({ from }) => from === null)).toBe(true)
  })

  test('copies the content of renamed files, and covers every byte once', () => {
    const base = place({ 'a.txt': 'a', 'b.txt': 'b', 'c.pck': ['x', 'y'] })
    const next = place({ 'a.txt': 'a', 'aa.txt': 'new', 'renamed.pck': ['x', 'y'], 'renamed.txt': 'b' })
    const segments = planSegments(next, base.contents)
    expect(sizeOfSent(segments)).toBeLessThan(MIB + 1300)
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
    expect([0, 1536, 5 * 1024 ** 3].map(formatBytes)).toEqual(['0 bytes', '1.5 KB', '5.0 GB'])
    expect([5, 750, 3723].map(formatTime)).toEqual(['0:05', '12:30', '1:02:03'])
  })
})
