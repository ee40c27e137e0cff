import { pgTable, primaryKey, text, uuid } from 'drizzle-orm/pg-core'

import { files } from './builds.ts'
import { createdAt } from './columns.ts'

/** Ed25519 keys that sign statements about files. The newest signs; all of them stay published. */
export const statementKeys = pgTable('statement_keys', {
  /** SHA-256 of the public key, in hex. */
  id: text('id').primaryKey(),
  /** The 32 bytes in base64url, as `x` of a JWK. */
  publicKey: text('public_key').notNull(),
  /** PKCS #8 in base64, encrypted. */
  privateKey: text('private_key').notNull(),
  createdAt: createdAt(),
})

/** Signed statements about clean files, one of each kind. */
export const attestations = pgTable(
  'attestations',
  {
    fileUid: uuid('file_uid')
      .notNull()
      .references(() => files.uid, { onDelete: 'cascade' }),
    predicateType: text('predicate_type').notNull(),
    /** The DSSE envelope, exactly as it is served. */
    envelope: text('envelope').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.fileUid, table.predicateType] })],
)
