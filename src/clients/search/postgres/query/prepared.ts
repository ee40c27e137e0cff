import { ChangedIds } from '../write/changed-ids.ts'

/** Looking at this many changed documents costs a search a fraction of a millisecond. */
const CHANGED_MIN = 4096
const CHANGED_SHARE = 1 / 64
/** During a reindex, which would otherwise spend most of its time on this. */
const BULK_SHARE = 1 / 16

/**
 * A structure over all documents that is too expensive to build for each change. Documents that changed since it
 * was built are looked at one by one, until there are many.
 */
export abstract class Prepared<Built> {
  /** Null until it is first built. */
  protected current: { built: Built; changed: ChangedIds } | null = null
  /** The documents that changed while the next one is being built. */
  private changedMeanwhile: ChangedIds | null = null

  get isPrepared(): boolean {
    return this.current !== null
  }

  /** Call when a document changes. */
  markChanged(id: number): void {
    this.current?.changed.add(id)
    this.changedMeanwhile?.add(id)
  }

  /** Builds it again if many documents changed. Searches use the previous one until then. */
  async prepare(documents: number, isBulk: boolean): Promise<void> {
    const changed = this.current?.changed.ids.length ?? Number.POSITIVE_INFINITY
    const allowed = Math.max(CHANGED_MIN, documents * (isBulk ? BULK_SHARE : CHANGED_SHARE))
    if (this.changedMeanwhile || changed <= allowed) return
    const meanwhile = new ChangedIds()
    this.changedMeanwhile = meanwhile
    try {
      this.current = { built: await this.build(documents, meanwhile), changed: meanwhile }
    } finally {
      this.changedMeanwhile = null
    }
  }

  /** Yields to the event loop; must omit the documents that change while it runs. */
  protected abstract build(documents: number, omitted: ChangedIds): Promise<Built>
}
