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

/** Of one build, or of every build of the game. */
interface Which {
  gameUid: string
  buildUid: string | undefined
}

const belongsTo = ({ gameUid, buildUid }: Which) =>
  and(eq(symbols.gameUid, gameUid), buildUid === undefined ? undefined : eq(symbols.buildUid, buildUid))

export async function listSymbols(db: Db, which: Which, page: Page): Promise<SymbolsRow[]> {
  return await db
    .select()
    .from(symbols)
    .where(belongsTo(which))
    .orderBy(desc(symbols.uid))
    .limit(page.page_size)
    .offset(page.offset)
}

export async function countSymbols(db: Db, which: Which): Promise<number> {
  return await db.$count(symbols, belongsTo(which))
}

export async function deleteSymbols(db: Db, which: Which, uid: string): Promise<SymbolsRow | undefined> {
  const [row] = await db
    .delete(symbols)
    .where(and(eq(symbols.uid, uid), belongsTo(which)))
    .returning()
  return row
}
