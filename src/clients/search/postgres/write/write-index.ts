import { formatIntegers, type Transaction } from '../../../../db/client.ts'
import { notify } from '../../../../db/notify/notify.ts'
import type { IndexedDocument } from '../../../../db/schema/search.ts'
import { blockOf } from '../index/positions.ts'
import { groupByWord, listWordIds } from '../index/word-groups.ts'
import { lockIndex, SEARCH_CHANGED } from './index-queries.ts'
import type { PreparedDocuments } from './prepare-documents.ts'
import { writePositions } from './write-positions.ts'
import * as queries from './write-queries.ts'

export interface WriteOptions {
  /** The version before the documents were read, unless they were read under the lock: later ones are newer. */
  upTo?: number
  /** Writes also unchanged documents, so that their versions show when they were last read. */
  force?: boolean
}

/** A document as it is stored; those that are removed have no words. */
type Stored = Pick<queries.DocumentWrite, 'gameUid' | 'document' | 'wordIds' | 'digest'>

const NO_WORDS = new Int32Array()

/** Call while holding the index lock. Unchanged documents are not written, so readers do not reload them. */
export async function writeIndex(
  tx: Transaction,
  prepared: PreparedDocuments,
  removed: readonly string[],
  { upTo = Number.MAX_SAFE_INTEGER, force = false }: WriteOptions = {},
): Promise<void> {
  const last = await queries.loadLastNumbers(tx)
  const wordsVersion = last.version + 1
  const lastBlock = blockOf(last.id)
  const ids = await queries.numberWords(tx, prepared.terms, wordsVersion)
  const words = groupByWord(prepared, ids)
  const lists = listWordIds(words, prepared)
  const stored = [...toStored(prepared, ids, lists), ...removed.map((uid) => store(uid, null, NO_WORDS))]
  const known = await queries.findDocuments(
    tx,
    stored.map(({ gameUid }) => gameUid),
  )
  const gone = new Set(removed)
  const writes = stored.flatMap((one, index) => {
    // It may have been hidden after its document was read.
    if (one.document !== null && gone.has(one.gameUid)) return []
    const before = known.get(one.gameUid)
    const isChanged = before ? before.digest !== one.digest : one.document !== null
    if ((!isChanged && !force) || (before && before.version > upTo)) return []
    const id = before?.id ?? (last.id += 1)
    return { ...one, index, id, isKnown: before !== undefined, version: (last.version += 1) }
  })
  if (writes.length === 0) return
  const wordsBefore = await queries.findWordIds(
    tx,
    writes.flatMap(({ id, isKnown }) => (isKnown ? id : [])),
  )
  await queries.writeDocuments(tx, writes)
  const changes = writes.map(({ index, id }) => ({ index, id, before: wordsBefore.get(id) ?? [] }))
  const ended = await writePositions(tx, changes, words, lastBlock)
  if (ended.length > 0) await queries.freeWords(tx, ended, wordsVersion)
  await notify(tx, SEARCH_CHANGED, '')
}

/** Writers drop words as they become unused; this removes any that were left over. */
export async function dropUnusedWords(tx: Transaction): Promise<void> {
  await lockIndex(tx)
  const { version } = await queries.loadLastNumbers(tx)
  await queries.freeWords(tx, 'all', version + 1)
}

function toStored(
  prepared: PreparedDocuments,
  ids: readonly number[],
  wordIds: readonly Int32Array[],
): Stored[] {
  const idsOf = (terms: readonly number[] = []) => terms.map((term) => ids[term] ?? 0)
  return prepared.documents.map(({ uid, description: _, post_titles: __, ...fields }, index) => {
    const texts = { name: idsOf(prepared.names[index]), tagline: idsOf(prepared.taglines[index]) }
    return store(uid, { ...fields, ...texts }, wordIds[index] ?? NO_WORDS)
  })
}

function store(gameUid: string, indexed: IndexedDocument | null, words: Int32Array): Stored {
  const document = indexed && JSON.stringify(indexed)
  const wordIds = formatIntegers(words)
  const digest = Bun.hash.xxHash64(document ?? '', Bun.hash.xxHash64(wordIds))
  return { gameUid, document, wordIds, digest: BigInt.asIntN(64, digest) }
}
