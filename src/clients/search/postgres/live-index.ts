import type { DatabaseHandle, Db } from '../../../db/client.ts'
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
        this.columns.put(id, gameUid, document)
        this.version = version
      }
      if (rows.length < ROWS_AT_ONCE) break
    }
    if (this.version === this.completeVersion) return
    // After the documents, so that every word of theirs is among them.
    this.vocabulary.add(parseWords(await readWordsAfter(this.db, this.vocabulary.size - 1)))
    this.completeVersion = this.version
    this.generation += 1
  }
}

function* parseWords(lines: string): Generator<readonly [id: number, word: string]> {
  if (lines === '') return
  for (const line of lines.split('\n')) {
    const space = line.lastIndexOf(' ')
    yield [Number(line.slice(space + 1)), line.slice(0, space)]
  }
}
