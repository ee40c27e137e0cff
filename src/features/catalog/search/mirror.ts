import type { MeilisearchIndex } from '../../../clients/search/meilisearch/engine.ts'
import type { Database, DatabaseHandle, Db } from '../../../db/client.ts'
import type { SearchDocument } from '../../../domain/listings/search-document.ts'
import * as queries from './mirror-queries.ts'

const BATCH = 500
const REBUILD = 'search mirror rebuild'
const WRITE = 'search mirror write'

type MirrorSource = Pick<DatabaseHandle, 'db' | 'withLock'>

/** Documents of the public ones among these listings. */
export type ReadDocuments = (db: Db, uids: readonly string[]) => Promise<SearchDocument[]>

/** Sends the engine every change it lacks. An engine that is empty, or has other settings, is rebuilt first. */
export async function syncDocuments(
  { db, withLock }: MirrorSource,
  index: MeilisearchIndex,
  read: ReadDocuments,
): Promise<void> {
  await queries.insertMirror(db, index.name)
  if (!(await isBuilt(db, index))) {
    await withLock(REBUILD, async () => {
      // Another process may have built it while we waited for the lock.
      if (!(await isBuilt(db, index))) await build({ db, withLock }, index, read)
    })
  }
  await withLock(WRITE, async () => {
    while (await sendChanges(db, index, read));
  })
}

/** Searches use the old index until the new one is complete. */
export async function rebuildMirror(
  source: MirrorSource,
  index: MeilisearchIndex,
  read: ReadDocuments,
): Promise<void> {
  await queries.insertMirror(source.db, index.name)
  await source.withLock(REBUILD, () => build(source, index, read))
}

async function isBuilt(db: Db, index: MeilisearchIndex): Promise<boolean> {
  return (await queries.findMirrorVersion(db, index.name)) !== null && (await index.isBuilt())
}

async function build(
  { db, withLock }: MirrorSource,
  index: MeilisearchIndex,
  read: ReadDocuments,
): Promise<void> {
  const version = await queries.loadNewestVersion(db)
  await index.rebuild(listDocuments(db, read), async (swap) => {
    await withLock(WRITE, async () => {
      // Changes made meanwhile are sent again. The version is stored before the swap: a crash between the two sends
      // some changes twice, but loses none.
      await queries.writeMirrorVersion(db, index.name, version, null)
      await swap()
    })
  })
}

/** Returns whether it sent anything. Documents are read in their current state, so sending one twice is harmless. */
async function sendChanges(db: Database, index: MeilisearchIndex, read: ReadDocuments): Promise<boolean> {
  const startedAt = new Date()
  const sent = (await queries.findMirrorVersion(db, index.name)) ?? 0
  const changed = await queries.listChangedSince(db, sent, BATCH)
  const isAll = changed.length < BATCH
  const uids = changed.map(({ gameUid }) => gameUid)
  const documents = await read(db, uids)
  const found = new Set(documents.map(({ uid }) => uid))
  await index.upsert(documents)
  await index.remove(uids.filter((uid) => !found.has(uid)))
  await index.settled()
  const version = changed.at(-1)?.version ?? sent
  await queries.writeMirrorVersion(db, index.name, version, isAll ? startedAt : null)
  return changed.length > 0
}

async function* listDocuments(db: Database, read: ReadDocuments): AsyncGenerator<SearchDocument[]> {
  let after = -1
  for (;;) {
    const rows = await queries.listLiveDocuments(db, after, BATCH)
    const last = rows.at(-1)
    if (!last) return
    yield await read(
      db,
      rows.map(({ gameUid }) => gameUid),
    )
    after = last.id
  }
}
