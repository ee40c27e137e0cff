import { bigint, index, jsonb, pgTable, text, uuid } from 'drizzle-orm/pg-core'

import { UPLOAD_SOURCES } from '../../domain/builds/files.ts'
import type { BuildOrigin } from '../../domain/builds/publishers.ts'
import { users } from './accounts.ts'
import { buildUid, files } from './builds.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'
import { gameUid } from './games/games.ts'

/** An upload in chunks. Its progress is read from the object store, which is correct even after a crash. */
export const uploadSessions = pgTable(
  'upload_sessions',
  {
    uid: uid(),
    gameUid: gameUid(),
    buildUid: buildUid(),
    filename: text('filename').notNull(),
    totalSize: bigint('total_size', { mode: 'number' }).notNull(),
    /** Null until the last chunk, if the session was opened without it. */
    checksum: text('checksum'),
    objectKey: text('object_key').notNull(),
    /** The object store's id of the upload. */
    uploadId: text('upload_id').notNull(),
    source: text('source', { enum: UPLOAD_SOURCES }).notNull(),
    keyLast4: text('key_last4'),
    origin: jsonb('origin').$type<BuildOrigin>(),
    /** The deploy key that opened it, which may continue it even after expiring. */
    keyUid: uuid('key_uid'),
    /** The file whose ranges may be copied into this one; null once that file is deleted. */
    baseFileUid: uuid('base_file_uid').references(() => files.uid, { onDelete: 'set null' }),
    /** The process that is currently writing; once it is gone, another may take over. */
    writer: text('writer'),
    /** Set on completion, so that a repeated last chunk gets the same response. */
    fileUid: uuid('file_uid'),
    createdAt: createdAt(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('upload_sessions_game').on(table.gameUid, table.expiresAt),
    index('upload_sessions_build').on(table.buildUid),
    index('upload_sessions_expiry').on(table.expiresAt),
    index('upload_sessions_base').on(table.baseFileUid),
  ],
)

/** Room for a file that is being received. It counts as stored until it is deleted or expires. */
export const storageReservations = pgTable(
  'storage_reservations',
  {
    uid: uid(),
    ownerUid: belongsTo('owner_uid', () => users.id),
    bytes: bigint('bytes', { mode: 'number' }).notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [
    index('storage_reservations_owner').on(table.ownerUid),
    index('storage_reservations_expiry').on(table.expiresAt),
  ],
)
