import { sql } from 'drizzle-orm'

import { plural } from '../lib/text/show.ts'
import { type Db, one } from './client.ts'
import { files, symbols } from './schema/builds.ts'
import { images } from './schema/games/game-pages.ts'
import { type HeldSweep, installation } from './schema/settings.ts'

const SAMPLED = 10

export async function findInstallationId(db: Db): Promise<string | null> {
  return (await one(db.select({ id: installation.id }).from(installation)))?.id ?? null
}

/** Returns the id stored in the database: if several processes insert one, the first wins. */
export async function insertInstallationId(db: Db, id: string): Promise<string> {
  await db.insert(installation).values({ id }).onConflictDoNothing()
  return (await findInstallationId(db)) ?? id
}

/** Keys of objects that must exist if the store is this database's: the oldest and newest of each kind. */
export async function sampleObjectKeys(db: Db): Promise<string[]> {
  const stored = sql`select uid, object_key from ${files} where scan in ('clean', 'scanning')`
  const others = [symbols, images].map((table) => sql`select uid, object_key from ${table}`)
  const ends = [stored, ...others].flatMap((rows) => [
    sql`(select object_key as key from (${rows}) as rows order by uid limit ${SAMPLED})`,
    sql`(select object_key as key from (${rows}) as rows order by uid desc limit ${SAMPLED})`,
  ])
  const rows = await db.execute<{ key: string }>(sql.join(ends, sql` union `))
  return rows.map(({ key }) => key)
}

export async function saveHeldSweep(db: Db, heldSweep: HeldSweep | null): Promise<void> {
  await db.update(installation).set({ heldSweep })
}

/** Throws when a sweep waits for the operator. Database errors are left to the database check. */
export async function checkHeldSweep(db: Db): Promise<void> {
  const [row] = await db
    .select({ held: installation.heldSweep })
    .from(installation)
    .catch(() => [])
  if (row?.held)
    throw new Error(`a sweep would remove ${plural(row.held.objects, 'object')} and waits for you`)
}
