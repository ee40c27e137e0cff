import { and, desc, eq, isNotNull, sql } from 'drizzle-orm'

import { type Db, one, type Transaction } from '../../../db/client.ts'
import { users } from '../../../db/schema/accounts.ts'
import { noticeMails, noticeSettings } from '../../../db/schema/notices.ts'

export type SettingsRow = typeof noticeSettings.$inferSelect
type SettingsChange = Omit<SettingsRow, 'userUid' | 'readUntil' | 'digestUntil' | 'createdAt'>

/** The settings are null without a row; undefined without an account. */
export async function findSettings(db: Db, userUid: string) {
  return await one(
    db
      .select({ settings: noticeSettings, emailVerified: users.emailVerified })
      .from(users)
      .leftJoin(noticeSettings, eq(noticeSettings.userUid, users.id))
      .where(eq(users.id, userUid)),
  )
}

/** Creates the row of an account, and locks it until the transaction ends. Returns undefined without an account. */
export async function lockSettings(tx: Transaction, userUid: string): Promise<SettingsRow | undefined> {
  await tx.execute(sql`
    insert into ${noticeSettings} (user_uid) select ${users.id} from ${users} where ${users.id} = ${userUid}
    for key share on conflict do nothing`)
  return await one(tx.select().from(noticeSettings).where(eq(noticeSettings.userUid, userUid)).for('update'))
}

export async function updateSettings(
  tx: Transaction,
  userUid: string,
  change: SettingsChange,
): Promise<void> {
  await tx.update(noticeSettings).set(change).where(eq(noticeSettings.userUid, userUid))
}

/** When the newest digest was made that was sent or waits to be sent. */
export async function findLastDigest(db: Db, userUid: string): Promise<Date | null> {
  const isDigest = and(eq(noticeMails.userUid, userUid), isNotNull(noticeMails.until))
  const row = await one(
    db
      .select({ at: noticeMails.createdAt })
      .from(noticeMails)
      .where(isDigest)
      .orderBy(desc(noticeMails.createdAt))
      .limit(1),
  )
  return row?.at ?? null
}
