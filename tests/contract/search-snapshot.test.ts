import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { mkdtemp, readdir, rm, truncate, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import { sql } from 'drizzle-orm'

import { openPostgresEngine } from '../../src/clients/search/postgres/engine.ts'
import { Snapshots } from '../../src/clients/search/postgres/snapshots/snapshots.ts'
import type { SearchIndex } from '../../src/clients/search/search-engine.ts'
import { type DatabaseHandle, openDatabase } from '../../src/db/client.ts'
import { insertInstallationId } from '../../src/db/installation.ts'
import type { SearchDocument } from '../../src/domain/listings/search-document.ts'
import { createLogger } from '../../src/lib/log.ts'
import { createRandom } from '../../src/lib/random.ts'
import { createTestDatabase } from '../helpers/database.ts'
import { makeRandomDocument } from '../helpers/search/search-documents.ts'
import { compareSearch, makeCatalog } from './search-compare.ts'
import { createSearch } from './search-engines.ts'
import { inventQuestion, inventText } from './search-questions.ts'
import { expectText } from './search-reference-text.ts'
import { expectAnswer } from './search-reference.ts'

const catalog = makeCatalog('snapshots', 200)
const random = createRandom('snapshots')
const cleanup = new AsyncDisposableStack()
const listed = new Map(catalog.documents.map((document) => [document.uid, document]))
const lines: string[] = []
let handle: DatabaseHandle
let folder: string
let path: string

beforeAll(async () => {
  const database = await createTestDatabase()
  cleanup.defer(() => database.drop())
  handle = openDatabase(database.url)
  cleanup.defer(() => handle.dispose())
  await insertInstallationId(handle.db, crypto.randomUUID())
  folder = await mkdtemp(join(tmpdir(), 'playshelf-snapshots-'))
  cleanup.defer(() => rm(folder, { recursive: true }))
  const writer = await openPostgresEngine(handle)
  await writer.upsert(catalog.documents)
})
beforeEach(() => {
  path = join(folder, crypto.randomUUID(), 'search-index')
})
afterAll(() => cleanup.disposeAsync())

/** Like a process that has just started. Writes a snapshot if there is none that it can use. */
async function start(file = path): Promise<SearchIndex> {
  lines.length = 0
  const log = createLogger({ level: 'info', pretty: false, write: (line) => lines.push(line) })
  const engine = await openPostgresEngine(handle, new Snapshots(handle.db, file, log, 1))
  await engine.settled()
  return engine
}

async function startAndSave(): Promise<SearchIndex> {
  await rm(path, { force: true })
  const engine = await start()
  while (!(await Bun.file(path).exists())) await Bun.sleep(5)
  return engine
}

/** Changes what the database says of every listing without a new version: whoever read the snapshot does not notice. */
/** Without the digest the next write replaces the document. */
async function tamper(tag: string): Promise<void> {
  await handle.db.execute(sql`
    update search_documents set digest = null, document = jsonb_set(document, '{tags}', to_jsonb(array[${tag}]))
    where document is not null`)
}

async function restoreTags(): Promise<void> {
  const writer = await openPostgresEngine(handle)
  await writer.upsert([...listed.values()])
}

const countTagged = async (engine: SearchIndex, tag: string) =>
  (await createSearch(engine)(`tags=${tag}`, { withAdult: true })).total

async function expectReference(index: SearchIndex): Promise<void> {
  const engine = { index, search: createSearch(index) }
  const documents = [...listed.values()]
  for (let asked = 0; asked < 25; asked += 1) {
    const filter = inventQuestion(random, catalog.tags)
    await compareSearch(engine, filter, expectAnswer(documents, filter))
    const text = inventText(random, catalog.words)
    const question = new URLSearchParams({ q: text }).toString()
    await compareSearch(engine, question, expectAnswer(documents, question, expectText(documents, text)))
  }
}

function change(): { written: SearchDocument[]; removed: string[] } {
  const numbers = random.draw([...Array(230).keys()], 30)
  const written = numbers.map((number) => makeRandomDocument(random, number, catalog))
  for (const document of written) listed.set(document.uid, document)
  const unchanged = [...listed.keys()].filter((uid) => !written.some((document) => document.uid === uid))
  const removed = random.draw(unchanged, 10)
  for (const uid of removed) listed.delete(uid)
  return { written, removed }
}

describe('a snapshot of the search index', () => {
  test('is all that a start reads', async () => {
    await expectReference(await startAndSave())
    await tamper('only-in-the-database')
    expect(await countTagged(await start(), 'only-in-the-database')).toBe(0)
    expect(await countTagged(await openPostgresEngine(handle), 'only-in-the-database')).toBe(listed.size)
    await restoreTags()
  })

  test('is followed by everything written and removed since', async () => {
    await startAndSave()
    const writer = await openPostgresEngine(handle)
    for (let round = 0; round < 3; round += 1) {
      const { written, removed } = change()
      await writer.upsert(written)
      await writer.remove(removed)
      await expectReference(await start())
    }
  })

  test('is written again only after many changes', async () => {
    const engine = await startAndSave()
    const first = await Bun.file(path).bytes()
    const [document] = listed.values()
    if (!document) throw new Error('There is no document')
    await engine.upsert([{ ...document, tagline: 'once more' }])
    listed.set(document.uid, { ...document, tagline: 'once more' })
    const restarted = await start()
    await restarted.settled()
    expect(await Bun.file(path).bytes()).toEqual(first)
  })

  test.each<[string, (bytes: Uint8Array) => Promise<unknown>]>([
    ['empty', () => truncate(path, 0)],
    ['cut off in its head', () => truncate(path, 40)],
    ['cut off', (bytes) => truncate(path, bytes.length - 9)],
    ['of another kind', () => Bun.write(path, 'x'.repeat(5000))],
    ['too long', (bytes) => Bun.write(path, new Blob([bytes, 'more']))],
    ['of another format', (bytes) => Bun.write(path, replaceText(bytes, '"format":4', '"format":0'))],
    ['of another version', (bytes) => Bun.write(path, replaceText(bytes, '"version":', '"version":1'))],
    [
      'damaged',
      (bytes) => {
        const at = bytes.length >> 1
        bytes[at] = (bytes[at] ?? 0) ^ 1
        return Bun.write(path, bytes)
      },
    ],
  ])('is ignored when it is %s', async (_, spoil) => {
    await startAndSave()
    await spoil(await Bun.file(path).bytes())
    await tamper('spoilt')
    expect(await countTagged(await start(), 'spoilt')).toBe(listed.size)
    expect(lines.join('\n')).toContain('snapshot')
    await restoreTags()
  })

  test('of another installation is ignored', async () => {
    await startAndSave()
    await handle.db.execute(sql`update installation set id = gen_random_uuid()`)
    await tamper('elsewhere')
    expect(await countTagged(await start(), 'elsewhere')).toBe(listed.size)
    expect(lines.join('\n')).toContain('another installation')
    await restoreTags()
  })

  test('is ignored after the database was restored to an earlier state', async () => {
    const writer = await openPostgresEngine(handle)
    const tables = ['search_documents', 'search_words', 'search_postings']
    for (const table of tables) {
      await handle.db.execute(sql.raw(`create table ${table}_backup as table ${table}`))
    }
    const before = [...listed]
    const { written, removed } = change()
    await writer.upsert(written)
    await writer.remove(removed)
    await startAndSave()
    for (const table of tables) {
      await handle.db.execute(sql.raw(`truncate ${table}`))
      await handle.db.execute(sql.raw(`insert into ${table} table ${table}_backup`))
    }
    listed.clear()
    for (const [uid, document] of before) listed.set(uid, document)
    await tamper('restored')
    expect(await countTagged(await start(), 'restored')).toBe(listed.size)
    await restoreTags()
  })

  test('is not needed, nor a folder that can be written', async () => {
    const engine = await start('/dev/null/search-index')
    await expectReference(engine)
    expect(lines.join('\n')).toContain('could not be written')
  })

  test('that was being written when the process was killed leaves the previous one', async () => {
    await startAndSave()
    const before = await Bun.file(path).bytes()
    const child = Bun.spawn([
      process.execPath,
      join(import.meta.dir, '../helpers/cases/write-snapshot.ts'),
      path,
    ])
    const listDrafts = async () => (await readdir(join(path, '..'))).filter((name) => name.endsWith('.draft'))
    while ((await listDrafts()).length === 0) await Bun.sleep(1)
    child.kill('SIGKILL')
    await child.exited
    expect(await Bun.file(path).bytes()).toEqual(before)
    await expectReference(await start())
    // The draft is removed once no process can still be writing it.
    for (const draft of await listDrafts()) await utimes(join(path, '..', draft), 0, 0)
    await startAndSave()
    expect(await listDrafts()).toEqual([])
  })
})

function replaceText(bytes: Uint8Array, from: string, to: string): Uint8Array {
  const at = Buffer.from(bytes).indexOf(from)
  if (at === -1) throw new Error(`There is no ${from}`)
  return Buffer.concat([bytes.subarray(0, at), Buffer.from(to), bytes.subarray(at + from.length)])
}
