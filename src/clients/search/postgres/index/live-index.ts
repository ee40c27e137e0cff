import type { DatabaseHandle, Db } from '../../../../db/client.ts'
import { AppError } from '../../../../errors.ts'
import { BACKGROUND_MS, isSliceOver, nextSlice } from '../../../../lib/flow/loop-slices.ts'
import { withTimeout } from '../../../../lib/flow/with-timeout.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import { listDocumentsAfter, loadWordsAfter, SEARCH_CHANGED } from '../write/index-queries.ts'
import { Columns } from './columns.ts'
import { Facts } from './facts.ts'
import { Postings } from './postings.ts'
import { Vocabulary } from './vocabulary.ts'

/** How many documents one query reads at the start. */
const LOAD_STEP = 2000
/** Loading more leaves so much garbage that the runtime would wait until twice as much memory is used. */
const COLLECT_FROM = 20_000
/** The server closes a connection after 30 s without an answer. */
const LOAD_WAIT_MS = 20_000
/** A search waits until at most this many changed documents are applied. */
const STEP = 1000
/** After more, a reindex seems to run: steps are larger and omit the words, until none was full for a while. */
const BULK_STEP = 512
const BULK_MS = 5000
/** Polls after this time as a fallback for a lost notification. */
const TRUST_MS = 5000

/**
 * This process's copy of the index, loaded on the first search. Later searches read only what was written
 * since, once notified. Versions increase in commit order, so no change is missed.
 */
export class LiveIndex {
  columns = new Columns()
  readonly vocabulary = new Vocabulary()
  readonly postings: Postings
  readonly facts = new Facts()
  /** Increases with every change. */
  generation = 0
  /** Increases with every change that affects filters and counts; most edits of texts do not. */
  filterGeneration = 0
  private version = 0
  private wordsVersion = -1
  private isLoaded = false
  private isStale = true
  /** Whether the last read left documents for the next one. */
  private isBehind = false
  private behindAt = Number.NEGATIVE_INFINITY
  private checkedAt = 0
  private reading: Promise<void> | null = null

  constructor(
    private readonly db: Db,
    private readonly snapshots: Snapshots | null,
    private readonly loadWaitMs = LOAD_WAIT_MS,
  ) {
    this.postings = new Postings(db)
  }

  /** Whether the first load is done. */
  get isReady(): boolean {
    return this.isLoaded
  }

  async listen(database: DatabaseHandle): Promise<void> {
    const expire = () => this.expire()
    await database.listen(SEARCH_CHANGED, expire, expire)
  }

  /** Makes the next search check for changes. */
  expire(): void {
    this.isStale = true
  }

  /** Resolves when everything written before is applied, or as much of it as one search waits for. */
  async refresh(): Promise<void> {
    if (!this.isLoaded) await withTimeout(this.loadWaitMs, this.readLatest(), stillLoading)
    else if (!this.reading || !this.isBehind) await this.readLatest()
  }

  /** Resolves when everything written before is applied. */
  async settled(): Promise<void> {
    do await this.readLatest()
    while (this.isBehind)
  }

  private async readLatest(): Promise<void> {
    // A read in flight may have started before the latest notification, so another one follows it.
    if (this.reading) await this.reading
    await this.advance()
  }

  /** Concurrent calls share one read. */
  private async advance(): Promise<void> {
    if (this.reading) return await this.reading
    if (!this.isStale && Date.now() - this.checkedAt < TRUST_MS) return
    this.isStale = false
    this.checkedAt = Date.now()
    this.reading = this.isLoaded ? this.readStep() : this.load()
    try {
      await this.reading
    } catch (error) {
      this.isStale = true
      throw error
    } finally {
      this.reading = null
    }
  }

  private async load(): Promise<void> {
    const [snapshot] = await Promise.all([this.snapshots?.load(), this.readWords()])
    if (snapshot) {
      this.columns = snapshot.columns
      this.version = snapshot.version
    }
    const list = (after: number) => listDocumentsAfter(this.db, after, { limit: LOAD_STEP, withWords: false })
    let rows = await list(this.version)
    while (rows.length > 0) {
      // Postgres prepares the next documents while these are applied.
      const [following] = await Promise.all([list(rows.at(-1)?.version ?? 0), this.applyRows(rows)])
      rows = following
    }
    await this.readWords()
    await this.columns.prepare()
    if (this.columns.size > COLLECT_FROM) Bun.gc(true)
    this.generation += 1
    this.isLoaded = true
    void this.snapshots?.saveIfDue(this.columns, this.version)
  }

  private async readStep(): Promise<void> {
    const isBulk = performance.now() - this.behindAt < BULK_MS
    const limit = isBulk ? BULK_STEP : STEP
    const rows = await listDocumentsAfter(this.db, this.version, { limit, withWords: !isBulk })
    this.isBehind = rows.length === limit
    if (this.isBehind) this.behindAt = performance.now()
    if (rows.length === 0) return
    await this.applyRows(rows, isBulk ? BACKGROUND_MS : undefined)
    // Reading the posting lists again is cheaper than updating them with so many documents.
    if (isBulk) this.postings.clear()
    else await this.postings.apply(rows)
    // Read after the documents, so that all of their words are included.
    await this.readWords()
    this.generation += 1
    void this.columns.prepare(isBulk)
    void this.snapshots?.saveIfDue(this.columns, this.version)
    if (!this.isBehind) return
    this.isStale = true
    setImmediate(() => void this.advance().catch(() => undefined))
  }

  private async applyRows(
    rows: Awaited<ReturnType<typeof listDocumentsAfter>>,
    sliceMs?: number,
  ): Promise<void> {
    let isFilterChange = false
    for (const { id, gameUid, document, version } of rows) {
      if (isSliceOver(sliceMs)) await nextSlice()
      if (this.columns.put(id, gameUid, document, version)) isFilterChange = true
      this.version = version
    }
    if (isFilterChange) this.filterGeneration += 1
  }

  private async readWords(): Promise<void> {
    const { lines, version } = await loadWordsAfter(this.db, this.wordsVersion)
    await this.vocabulary.apply(parseWords(lines))
    this.wordsVersion = version
  }
}

function stillLoading(): AppError {
  return new AppError('service_down', {
    message: 'The search index is still being loaded. Try again in a few seconds.',
    headers: { 'retry-after': '5' },
  })
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
