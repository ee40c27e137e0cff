import type { Transaction } from '../../../db/client.ts'
import { notify } from '../../../db/notify.ts'
import type { IndexedDocument } from '../../../db/schema/search.ts'
import { wordsOf } from '../../../lib/search-words.ts'
import type { SearchDocument } from '../search-engine.ts'
import * as queries from './index-queries.ts'
import { termsOf } from './vocabulary.ts'
import { type PositionChange, writePositions } from './write-positions.ts'

interface ReadTexts {
  document: SearchDocument
  name: string[]
  tagline: string[]
  terms: ReadonlySet<string>
}

/** Call while holding the index lock. Unchanged documents are not written, so readers do not reload them. */
export async function writeIndex(
  tx: Transaction,
  documents: readonly SearchDocument[],
  removed: readonly string[],
): Promise<void> {
  const texts = documents.map(readTexts)
  const last = await queries.readLastNumbers(tx)
  const wordsVersion = last.version + 1
  const words = [...new Set(texts.flatMap(({ terms }) => [...terms]))]
  const numbers = await queries.numberWords(tx, words, wordsVersion)
  const uids = [...documents.map(({ uid }) => uid), ...removed]
  const known = new Map((await queries.listIndexed(tx, uids)).map((row) => [row.gameUid, row]))
  const writes: queries.DocumentWrite[] = []
  const changes: PositionChange[] = []

  const write = (gameUid: string, document: IndexedDocument | null, wordIds: number[]) => {
    const before = known.get(gameUid)
    const isSame = Bun.deepEquals(before?.document ?? null, document)
    if (isSame && Bun.deepEquals(before?.wordIds ?? [], wordIds)) return
    const id = before?.id ?? (last.id += 1)
    writes.push({ id, gameUid, document, wordIds, version: (last.version += 1) })
    changes.push({ id, before: before?.wordIds ?? [], after: wordIds })
  }
  for (const text of texts) write(text.document.uid, toIndexed(text, numbers), numbersOf(text.terms, numbers))
  for (const uid of removed) if (known.has(uid)) write(uid, null, [])

  if (writes.length === 0) return
  await queries.freeWords(tx, await writePositions(tx, changes), wordsVersion)
  await queries.writeDocuments(tx, writes)
  await notify(tx, queries.SEARCH_CHANGED, '')
}

/** Writers drop words as they become unused; this removes any that were left over. */
export async function dropUnusedWords(tx: Transaction): Promise<void> {
  await queries.lockIndex(tx)
  const { version } = await queries.readLastNumbers(tx)
  await queries.freeWords(tx, 'all', version + 1)
}

function readTexts(document: SearchDocument): ReadTexts {
  const [name, tagline] = [wordsOf(document.name), wordsOf(document.tagline)]
  return { document, name, tagline, terms: termsOf([...name, ...tagline, ...wordsOf(document.description)]) }
}

function toIndexed(
  { document: { uid: _uid, description: _description, ...fields }, name, tagline }: ReadTexts,
  numbers: ReadonlyMap<string, number>,
): IndexedDocument {
  return { ...fields, name: inOrder(name, numbers), tagline: inOrder(tagline, numbers) }
}

function inOrder(words: readonly string[], numbers: ReadonlyMap<string, number>): number[] {
  return words.flatMap((word) => numbers.get(word) ?? [])
}

function numbersOf(terms: ReadonlySet<string>, numbers: ReadonlyMap<string, number>): number[] {
  return inOrder([...terms], numbers).sort((left, right) => left - right)
}
