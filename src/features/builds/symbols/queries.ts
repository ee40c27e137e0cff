import { and, desc, eq } from 'drizzle-orm'

import { type Db, one, pageOf, type Transaction } from '../../../db/client.ts'
import { symbols } from '../../../db/schema/builds.ts'
import type { Page, Paged } from '../../../lib/paging.ts'

type SymbolsRow = typeof symbols.$inferSelect
export type NewSymbols = typeof symbols.$inferInsert & { uid: string }

/** Returns the keys of the objects it replaces. */
export async function replaceSymbols(tx: Transaction, values: NewSymbols): Promise<string[]> {
  const { buildUid, module, debugId } = values
  const replaced = await tx
    .delete(symbols)
    .where(and(eq(symbols.buildUid, buildUid), eq(symbols.module, module), eq(symbols.debugId, debugId)))
    .returning({ key: symbols.objectKey })
  await tx.insert(symbols).values(values)
  return replaced.map(({ key }) => key)
}

/** `buildUid` undefined selects every build of the game. */
interface Which {
  gameUid: string
  buildUid: string | undefined
}

const belongsTo = ({ gameUid, buildUid }: Which) =>
  and(eq(symbols.gameUid, gameUid), buildUid === undefined ? undefined : eq(symbols.buildUid, buildUid))

export async function listSymbols(db: Db, which: Which, page: Page): Promise<Paged<SymbolsRow>> {
  const of = belongsTo(which)
  const query = db.select().from(symbols).where(of).orderBy(desc(symbols.uid))
  return await pageOf(query, db.$count(symbols, of), page)
}

export async function deleteSymbols(db: Db, which: Which, uid: string): Promise<SymbolsRow | undefined> {
  return await one(
    db
      .delete(symbols)
      .where(and(eq(symbols.uid, uid), belongsTo(which)))
      .returning(),
  )
}
