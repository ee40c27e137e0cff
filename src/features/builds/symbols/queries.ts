import { and, desc, eq } from 'drizzle-orm'

import type { Db, Transaction } from '../../../db/client.ts'
import { symbols } from '../../../db/schema/builds.ts'
import type { Page } from '../../../lib/paging.ts'

export type SymbolsRow = typeof symbols.$inferSelect
export type NewSymbols = typeof symbols.$inferInsert & { uid: string }

/** Answers the keys of the objects it replaces. */
export async function replaceSymbols(tx: Transaction, values: NewSymbols): Promise<string[]> {
  const { buildUid, module, debugId } = values
  const replaced = await tx
    .delete(symbols)
    .where(and(eq(symbols.buildUid, buildUid), eq(symbols.module, module), eq(symbols.debugId, debugId)))
    .returning({ key: symbols.objectKey })
  await tx.insert(symbols).values(values)
  return replaced.map(({ key }) => key)
}

export async function listSymbols(db: Db, gameUid: string, page: Page): Promise<SymbolsRow[]> {
  return await db
    .select()
    .from(symbols)
    .where(eq(symbols.gameUid, gameUid))
    .orderBy(desc(symbols.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function listSymbolsOfBuild(
  db: Db,
  gameUid: string,
  buildUid: string,
  limit: number,
): Promise<SymbolsRow[]> {
  return await db
    .select()
    .from(symbols)
    .where(and(eq(symbols.gameUid, gameUid), eq(symbols.buildUid, buildUid)))
    .orderBy(desc(symbols.uid))
    .limit(limit)
}

export async function countSymbols(db: Db, gameUid: string): Promise<number> {
  return await db.$count(symbols, eq(symbols.gameUid, gameUid))
}

/** Returns the key of the deleted object. */
export async function deleteSymbols(db: Db, gameUid: string, uid: string): Promise<string | undefined> {
  const [row] = await db
    .delete(symbols)
    .where(and(eq(symbols.uid, uid), eq(symbols.gameUid, gameUid)))
    .returning({ key: symbols.objectKey })
  return row?.key
}
