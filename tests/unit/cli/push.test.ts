import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'

import { ApiClient } from '../../../src/cli/api/client.ts'
import { ApiFailure, NetworkFailure, PATIENT_MS, Retry } from '../../../src/cli/api/retry.ts'
import { parseChangelog, parseChangelogText } from '../../../src/cli/push/plan.ts'
import type { PreparedZip } from '../../../src/cli/push/prepare.ts'
import {
  FileChecksum,
  type NewZip,
  type PlacedEntry,
  planSegments,
  sendAll,
  sizeOfSent,
} from '../../../src/cli/push/segments.ts'
import { sendInSession } from '../../../src/cli/push/send.ts'
import { formatTime, renderBar } from '../../../src/cli/ui/progress.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { formatBytes } from '../../../src/lib/text/show.ts'
import type { ContentsEntry } from '../../../src/lib/zip/contents.ts'
import { createTempDir } from '../../helpers/processes/child.ts'

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
    expect(parseChangelog(text, '1.2.0')).toEqual([
      { title: 'Gardens grow', description: 'over night' },
      { title: 'Rain', description: '' },
    ])
    expect(parseChangelog(text, '1.1.0')).toEqual([{ title: 'Old', description: '' }])
    expect(parseChangelog(text, '1.2')).toBeNull()
  })

  test('from the command line is one item per line', () => {
    expect(parseChangelogText('One\nTwo')).toHaveLength(2)
    expect(parseChangelogText('- One\n  more')).toEqual([{ title: 'One', description: 'more' }])
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

const MIB = 1024 ** 2
const BYTES = crypto.getRandomValues(new Uint8Array(65_536)).toBase64().repeat(30)
const SIZE = BYTES.length
const CHECKSUM = sha256Hex(BYTES)
const SESSION = '01980000-0000-7000-8000-000000000000'
const { signal } = new AbortController()

let dir: Awaited<ReturnType<typeof createTempDir>>
let handle: FileHandle
beforeAll(async () => {
  dir = await createTempDir('session')
  await Bun.write(join(dir.path, 'game.zip'), BYTES)
  handle = await open(join(dir.path, 'game.zip'))
})
afterAll(async () => {
  await handle.close()
  await dir.remove()
})

describe('the checksum of a file', () => {
  const bytes = Buffer.from(BYTES)

  test('skips what was hashed before', () => {
    const checksum = new FileChecksum()
    checksum.add(bytes.subarray(0, 1000), 0)
    checksum.add(bytes.subarray(500, 900), 500)
    checksum.add(bytes.subarray(500, 2000), 500)
    expect(() => checksum.add(bytes.subarray(3000), 3000)).toThrow()
    checksum.add(bytes.subarray(2000), 2000)
    expect([checksum.digest(), checksum.digest()]).toEqual([CHECKSUM, CHECKSUM])
  })

  test('reads what an earlier run sent', async () => {
    const checksum = new FileChecksum()
    await checksum.readTo(MIB + 7, handle, { signal })
    await checksum.readTo(7, handle, { signal })
    checksum.add(bytes.subarray(MIB), MIB)
    expect(checksum.digest()).toBe(CHECKSUM)
  })
})

describe('a file of which the checksum is not known', () => {
  let store: FakeStore | null = null
  afterEach(() => store?.stop())

  test('is hashed while it is sent', async () => {
    store = startStore()
    const { file, reads } = await send(store)
    expect(file).toMatchObject({ checksum: CHECKSUM })
    expect(reads).toBe(0)
    expect(store.opened).toMatchObject([{ checksum_in_last_chunk: 'true' }])
    expect(store.opened[0]).not.toHaveProperty('checksum')
    expect(store.received()).toBe(CHECKSUM)
    expect(store.checksums).toEqual([null, null, CHECKSUM])
  })

  test('is hashed from its start when an earlier run sent a part', async () => {
    store = startStore({ size: MIB })
    await send(store, SESSION)
    expect(store.opened).toEqual([])
    expect(store.checksums.at(-1)).toBe(CHECKSUM)
  })

  test('is read first for a server that needs the checksum', async () => {
    store = startStore({ isOld: true })
    const { reads } = await send(store)
    expect(reads).toBe(1)
    expect(store.opened.at(-1)).toMatchObject({ checksum: CHECKSUM })
    expect(store.received()).toBe(CHECKSUM)
  })
})

async function send({ url }: FakeStore, sessionId: string | null = null) {
  let reads = 0
  const state = { version: 2 as const, fingerprint: '', size: SIZE, checksum: null as string | null }
  const zip: PreparedZip = {
    handle,
    state: { ...state, entries: [], session: null },
    isPacked: true,
    staleSession: null,
    async readChecksum() {
      reads += 1
      return CHECKSUM
    },
    readEntries: async () => [],
    requireUnchanged: async () => undefined,
    [Symbol.asyncDispose]: async () => undefined,
  }
  const file = await sendInSession({
    api: new ApiClient(url, new Retry({ giveUpAfterMs: 30_000, signal }), signal, null),
    uploadUrl: url,
    chunkSize: MIB,
    zip,
    filename: 'game.zip',
    form: {},
    baseUid: null,
    sessionId,
    segments: sendAll(SIZE),
    onSession: async () => undefined,
    onPosition: () => undefined,
    onBytes: () => undefined,
  })
  return { file, reads }
}

type FakeStore = ReturnType<typeof startStore>

/** Stores what it is sent; an old one refuses a session without a checksum. */
function startStore({ size = 0, isOld = false } = {}) {
  const bytes = Buffer.from(BYTES.slice(0, size))
  const parts: Uint8Array[] = size > 0 ? [bytes] : []
  const opened: Record<string, string>[] = []
  const checksums: (string | null)[] = []
  const ok = (data: object) => Response.json({ success: true, data })
  const stored = () => Buffer.concat(parts)
  const session = () => ({ session_id: SESSION, current_size: stored().length, base_file_uid: null })
  const server = Bun.serve({
    port: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url)
      if (request.method === 'GET') return ok(session())
      if (pathname.endsWith('/sessions')) {
        const fields = Object.fromEntries(new URLSearchParams(await request.text()))
        opened.push(fields)
        if (!isOld || fields['checksum'] !== undefined) return ok(session())
        return Response.json({ success: false, error: { code: 4041, message: 'No.' } }, { status: 400 })
      }
      const form = await request.formData()
      parts.push(await (form.get('file') as Blob).bytes())
      checksums.push(form.get('checksum') as string | null)
      return stored().length < SIZE ? ok(session()) : ok({ filename: 'game.zip', checksum: checksums.at(-1) })
    },
  })
  const url = `http://127.0.0.1:${server.port}`
  return { url, opened, checksums, received: () => sha256Hex(stored()), stop: () => server.stop(true) }
}
