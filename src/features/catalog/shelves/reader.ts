import type { Deps } from '../../../deps.ts'
import type { ShelfKind } from '../../../domain/listings/shelves.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import { listShelves, type ShelfSystem } from './queries.ts'

/** The minimum time between two reads under load; an idle process reads immediately. */
const READS_APART_MS = 2

interface StoredShelf {
  date: string
  gameUids: readonly string[]
}

export type FindShelf = (kind: ShelfKind, os: ShelfSystem) => Promise<StoredShelf | undefined>

/** Every home page asks for several shelves: concurrent requests share one query. */
export function createShelfReader({ reads }: Pick<Deps, 'reads'>): FindShelf {
  const find = coalesce(async (keys) => {
    const asked = keys.map((key) => key.split(' ') as [ShelfKind, ShelfSystem])
    const rows = await reads.shared(({ db }) =>
      listShelves(
        db,
        asked.map(([kind]) => kind),
        asked.map(([, os]) => os),
      ),
    )
    return new Map(rows.map((row) => [`${row.kind} ${row.os}`, row]))
  }, READS_APART_MS)
  return async (kind, os) => await find(`${kind} ${os}`)
}
