import { type Page, type Paged, paged } from '../lib/paging.ts'
import type { Db } from './client.ts'

/** The first row of a query, or undefined. */
export async function one<Row>(query: PromiseLike<readonly Row[]>): Promise<Row | undefined> {
  return (await query)[0]
}

/** Whether a query finds a row. */
export async function hasRows(query: PromiseLike<readonly unknown[]>): Promise<boolean> {
  return (await query).length > 0
}

/** The result of an insert, update or delete without `returning`. */
type Written = PromiseLike<{ count: number }>

/** Whether a statement wrote a row. */
export async function changed(statement: Written): Promise<boolean> {
  return (await statement).count > 0
}

/** How many rows a statement wrote. */
export async function countChanged(statement: Written): Promise<number> {
  return (await statement).count
}

/** A query that is ordered, but not limited yet. */
interface Pageable<Row> {
  limit(count: number): { offset(count: number): PromiseLike<Row[]> }
}

/** One page of a query with the number of all its rows: `pageOf(select.where(of), db.$count(table, of), page)`. */
export async function pageOf<Row>(
  query: Pageable<Row>,
  total: PromiseLike<number>,
  page: Page,
): Promise<Paged<Row>> {
  const [items, count] = await Promise.all([query.limit(page.page_size).offset(page.offset), total])
  return paged(page, items, count)
}

/** The row that an insert returns. */
export async function inserted<Row>(query: PromiseLike<readonly Row[]>): Promise<Row> {
  const [row] = await query
  if (row === undefined) throw new Error('The database stored a row, but did not return it')
  return row
}

/** Repeats a statement that deletes at most `batch` rows until it deletes fewer; returns the total. */
export async function deleteInBatches(
  batch: number,
  remove: (limit: number) => Promise<number>,
  signal?: AbortSignal,
): Promise<number> {
  for (let removed = 0; ;) {
    signal?.throwIfAborted()
    const count = await remove(batch)
    removed += count
    if (count < batch) return removed
  }
}

/**
 * For hot queries: building the text takes more CPU time than reading the rows, so it is kept per database.
 */
export function buildOnce<Query>(build: (db: Db) => Query): (db: Db) => Query {
  const built = new WeakMap<Db, Query>()
  return (db) => {
    const query = built.get(db) ?? build(db)
    built.set(db, query)
    return query
  }
}
