import type { DatabaseHandle, Db } from '../../../db/client.ts'
import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import { Columns } from './columns.ts'
import { listDocumentsAfter, readWordsAfter, SEARCH_CHANGED } from './index-queries.ts'
import { Postings } from './postings.ts'
import { Vocabulary } from './vocabulary.ts'

const ROWS_AT_ONCE = 2000
/** Polls after this time as a fallback for a lost notification. */
const TRUST_MS = 5000

/**
 * This process's copy of the index, loaded on the first search. Later searches read only what was written
 * since, once notified. Versions increase in commit order, so no change is missed.
 */
export class LiveIndex {
  readonly columns = new Columns()
  readonly vocabulary = new Vocabulary()
  readonly postings: Postings
  /** Increases with every change. */
  generation = 0
  private version = 0
  private wordsVersion = -1
  /** The version up to which words are loaded as well as documents. */
  private completeVersion = 0
  private isStale = true
  private checkedAt = 0
  private reading: Promise<void> | null = null

  constructor(private readonly db: Db) {
    this.postings = new Postings(db)
  }

  async listen(database: DatabaseHandle): Promise<void> {
    const expire = () => this.expire()
    await database.listen(SEARCH_CHANGED, expire, expire)
  }

  /** Makes the next search check for changes. */
  expire(): void {
    this.isStale = true
  }

  async refresh(): Promise<void> {
    // A read in flight may have started before the latest notification, so it is awaited and then repeated.
    while (this.reading) await this.reading
    if (!this.isStale && Date.now() - this.checkedAt < TRUST_MS) return
    this.isStale = false
    this.reading = this.read()
    try {
      await this.reading
    } catch (error) {
      this.isStale = true
      throw error
    } finally {
      this.reading = null
    }
  }

  private async read(): Promise<void> {
    this.checkedAt = Date.now()
    for (;;) {
      const options = { limit: ROWS_AT_ONCE, withWords: this.generation > 0 }
      const rows = await listDocumentsAfter(this.db, this.version, options)
      for (const { id, gameUid, document, version } of rows) {
        if (isSliceOver()) await nextSlice()
        this.columns.put(id, gameUid, document)
        this.version = version
      }
      this.postings.apply(rows)
      if (rows.length < ROWS_AT_ONCE) break
    }
    if (this.version === this.completeVersion) return
    // Read after the documents, so that all of their words are included.
    const { lines, version } = await readWordsAfter(this.db, this.wordsVersion)
    await this.vocabulary.apply(parseWords(lines))
    this.wordsVersion = version
    this.completeVersion = this.version
    this.generation += 1
  }
}

/** Each line is a word and its id; an empty word means that the id is unused. */
function* parseWords(lines: string): Generator<readonly [id: number, word: string | null]> {
  for (let start = 0; start < lines.length;) {
    const found = lines.indexOf('\n', start)
    const end = found === -1 ? lines.length : found
    const space = lines.lastIndexOf(' ', end)
    yield [Number(lines.slice(space + 1, end)), space === start ? null : lines.slice(start, space)]
    start = end + 1
  }
}
