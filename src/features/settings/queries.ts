import { and, eq, sql } from 'drizzle-orm'

import { type Db, one, type Transaction } from '../../db/client.ts'
import { settings, settingsImages } from '../../db/schema/settings.ts'
import type { StoreImageName } from '../../domain/store-settings.ts'

export type SettingsRow = Pick<typeof settings.$inferSelect, 'secondFactor' | 'stored' | 'revision'>

const shown = {
  secondFactor: settings.secondFactor,
  stored: settings.stored,
  revision: settings.revision,
}

export async function findSettings(db: Db): Promise<SettingsRow | undefined> {
  return await one(db.select(shown).from(settings))
}

/** Creates the row if it is missing, and locks it until the transaction ends. */
export async function lockSettings(
  tx: Transaction,
  strength: 'update' | 'share',
): Promise<SettingsRow | undefined> {
  const [known] = await tx.select(shown).from(settings).for(strength)
  if (known) return known
  await tx.insert(settings).values({}).onConflictDoNothing()
  return await one(tx.select(shown).from(settings).for(strength))
}

export async function updateSettings(
  tx: Transaction,
  values: Partial<Pick<SettingsRow, 'secondFactor' | 'stored'>>,
): Promise<SettingsRow | undefined> {
  return await one(
    tx
      .update(settings)
      .set({ ...values, revision: sql`${settings.revision} + 1`, updatedAt: new Date() })
      .returning(shown),
  )
}

type NewImage = typeof settingsImages.$inferInsert

export async function replaceImages(
  tx: Transaction,
  name: StoreImageName,
  images: readonly NewImage[],
): Promise<void> {
  await tx.delete(settingsImages).where(eq(settingsImages.name, name))
  if (images.length > 0) await tx.insert(settingsImages).values([...images])
}

export async function findImage(
  db: Db,
  name: StoreImageName,
  variant: string,
): Promise<{ sha256: string; bytes: Uint8Array } | undefined> {
  return await one(
    db
      .select({ sha256: settingsImages.sha256, bytes: settingsImages.bytes })
      .from(settingsImages)
      .where(and(eq(settingsImages.name, name), eq(settingsImages.variant, variant))),
  )
}
