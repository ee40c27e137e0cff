import { sql } from 'drizzle-orm'

import type { Db, Transaction } from '../../db/client.ts'
import { settings } from '../../db/schema/settings.ts'

export type SettingsRow = Pick<typeof settings.$inferSelect, 'secondFactor' | 'revision'>

const shown = { secondFactor: settings.secondFactor, revision: settings.revision }

export async function findSettings(db: Db): Promise<SettingsRow | undefined> {
  const [row] = await db.select(shown).from(settings)
  return row
}

/** Makes the row where there is none, and holds it until the transaction ends. */
export async function lockSettings(tx: Transaction): Promise<SettingsRow | undefined> {
  await tx.insert(settings).values({}).onConflictDoNothing()
  const [row] = await tx.select(shown).from(settings).for('update')
  return row
}

export async function updateSettings(
  tx: Transaction,
  values: Partial<Pick<SettingsRow, 'secondFactor'>>,
): Promise<SettingsRow | undefined> {
  const [row] = await tx
    .update(settings)
    .set({ ...values, revision: sql`${settings.revision} + 1`, updatedAt: new Date() })
    .returning(shown)
  return row
}
