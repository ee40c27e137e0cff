import type { Db } from './client.ts'

/** For hot queries: building their text takes more CPU time than reading their rows, so each database keeps it. */
export function buildOnce<Query>(build: (db: Db) => Query): (db: Db) => Query {
  const built = new WeakMap<Db, Query>()
  return (db) => {
    const query = built.get(db) ?? build(db)
    built.set(db, query)
    return query
  }
}
