import { sql } from 'drizzle-orm'
import { index, integer, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { users } from '../accounts.ts'
import { createdAt, moment, uid } from '../columns.ts'
import { gameUid } from '../games/games.ts'

const person = (name: string) => uuid(name).references(() => users.id, { onDelete: 'set null' })

/** Keys that a developer made at once, to give away. Stays as long as somebody redeemed one of them. */
export const keyBatches = pgTable(
  'key_batches',
  {
    uid: uid(),
    gameUid: gameUid(),
    label: text('label').notNull(),
    /** Null for the listing itself; an edition may be deleted meanwhile. */
    editionUid: uuid('edition_uid'),
    editionName: text('edition_name'),
    count: integer('count').notNull(),
    /** Null once that account is deleted. */
    createdBy: person('created_by'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at'),
    /** When the developer ended it. */
    endedAt: moment('ended_at'),
  },
  (table) => [
    index('key_batches_game').on(table.gameUid, table.uid),
    index('key_batches_created_by').on(table.createdBy),
  ],
)

/** Only the SHA-256 of a code is stored. Keys that nobody can redeem any more are deleted. */
export const licenseKeys = pgTable(
  'license_keys',
  {
    codeHash: text('code_hash').primaryKey(),
    batchUid: uuid('batch_uid')
      .notNull()
      .references(() => keyBatches.uid, { onDelete: 'cascade' }),
    /** Null once that account is deleted; the time stays. */
    redeemedBy: person('redeemed_by'),
    redeemedAt: moment('redeemed_at'),
  },
  (table) => [
    index('license_keys_batch').on(table.batchUid, table.redeemedAt),
    index('license_keys_redeemed_by')
      .on(table.redeemedBy)
      .where(sql`redeemed_by is not null`),
  ],
)
