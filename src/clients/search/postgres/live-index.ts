import type { DatabaseHandle, Db } from '../../../db/client.ts'
import { isSliceOver, nextSlice } from '../../../lib/loop-slices.ts'
import { Columns } from './columns.ts'
import { listDocumentsAfter, readWordsAfter, SEARCH_CHANGED } from './index-queries.ts'
import { Vocabulary } from './vocabulary.ts'

const ROWS_AT_ONCE = 2000
/** Ends what a notification that never arrived would leave behind. */
const TRUST_MS = 5000

/**
 * What this process knows of the index. Read on the first search; later ones read only what was written since, when
 * they were told of it. Writers number their work in the order of the commits, so nothing is passed over.
 */
export class LiveIndex {
  readonly columns = new Columns()
  readonly vocabulary = new Vocabulary()
  /** Grows when something has changed. */
  generation = 0
  private version = 0
  private wordsVersion = -1
  /** Up to which version the words are there too. */
  private completeVersion = 0
  private isStale = true
  private checkedAt = 0
  private reading: Promise<void> | null = null

  constructor(private readonly db: Db) {}

  async listen(database: DatabaseHandle): Promise<void> {
    const expire = () => this.expire()
    await database.listen(SEARCH_CHANGED, expire, expire)
  }

  /** The next search looks for changes. */
  expire(): void {
    this.isStale = true
  }

  async refresh(): Promise<void> {
    // Who comes while others read may have been told of something that those do not see yet: it reads again.
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
      const rows = await listDocumentsAfter(this.db, this.version, ROWS_AT_ONCE)
      for (const { id, gameUid, document, version } of rows) {
        if (isSliceOver()) await nextSlice()
        this.columns.put(id, gameUid, document)
        this.version = version
      }
      if (rows.length < ROWS_AT_ONCE) break
    }
    if (this.version === this.completeVersion) return
    // After the documents, so that every word of theirs is among them.
    const { lines, version } = await readWordsAfter(this.db, this.wordsVersion)
    await this.vocabulary.apply(parseWords(lines))
    this.wordsVersion = version
    this.completeVersion = this.version
    this.generation += 1
  }
}

/** Each line is a word and its number; without a word the number is free. */
function* parseWords(lines: string): Generator<readonly [id: number, word: string | null]> {
  for (let start = 0; start < lines.length;) {
    const found = lines.indexOf('\n', start)
    const end = found === -1 ? lines.length : found
    const space = lines.lastIndexOf(' ', end)
    yield [Number(lines.slice(space + 1, end)), space === start ? null : lines.slice(start, space)]
    start = end + 1
  }
}
