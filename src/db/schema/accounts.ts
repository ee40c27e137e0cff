import { sql } from 'drizzle-orm'
import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

import { FOLDS } from '../../lib/text/skeleton.ts'
import { belongsTo, createdAt, moment, uid } from './columns.ts'

/** Property names are better-auth's field names; column names are ours. */
const id = () => uuid('id').primaryKey()
const updatedAt = () => moment('updated_at').notNull().defaultNow()

/** `skeletonOf` of a username. */
export const usernameSkeleton = sql.raw(
  FOLDS.reduce((text, [from, to]) => `replace(${text}, '${from}', '${to}')`, '"username"'),
)

export const users = pgTable(
  'users',
  {
    id: id(),
    /** The number of the author in the editor asset library. */
    authorId: integer('author_id').notNull().generatedAlwaysAsIdentity(),
    name: text('name').notNull(),
    email: text('email').notNull().unique(),
    emailVerified: boolean('email_verified').notNull().default(false),
    image: text('image'),
    username: text('username').notNull().unique(),
    /** Null: the username. */
    displayName: text('display_name'),
    /** What names that look like it have in common with it; null without a display name. */
    nameSkeleton: text('name_skeleton'),
    /** The object key of the picture. */
    pictureKey: text('picture_key'),
    developerMode: boolean('developer_mode').notNull().default(false),
    adultContent: boolean('adult_content').notNull().default(false),
    /** Tags this person never wants to see. */
    hiddenTags: text('hidden_tags')
      .array()
      .notNull()
      .default(sql`'{}'`),
    /** Whether adding a listing to the library also follows its releases. */
    followLibrary: boolean('follow_library').notNull().default(true),
    extstoreId: text('extstore_id').unique(),
    /** Set on the command line; OPERATORS names further operators. */
    operator: boolean('operator').notNull().default(false),
    /** While set, no session, key or token of this account is accepted. */
    suspendedAt: moment('suspended_at'),
    suspendedReason: text('suspended_reason'),
    /** Whether it has an authenticator app or a passkey: a password alone no longer signs it in. */
    twoFactorEnabled: boolean('two_factor_enabled').notNull().default(false),
    /** Bytes that its listings may store; null: ACCOUNT_STORAGE. */
    storageLimit: bigint('storage_limit', { mode: 'number' }),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('users_picture_key').on(table.pictureKey),
    index('users_name_skeleton').on(table.nameSkeleton),
    index('users_username_skeleton').on(usernameSkeleton),
    index('users_suspended')
      .on(table.id)
      .where(sql`${table.suspendedAt} is not null`),
  ],
)

export const sessions = pgTable(
  'sessions',
  {
    id: id(),
    token: text('token').notNull().unique(),
    userId: belongsTo('user_id', () => users.id),
    expiresAt: moment('expires_at').notNull(),
    ipAddress: text('ip_address'),
    userAgent: text('user_agent'),
    /** When this person last proved who they are; null for sessions from before this was recorded. */
    confirmedAt: moment('confirmed_at'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [index('sessions_user_id').on(table.userId), index('sessions_expires_at').on(table.expiresAt)],
)

export const accounts = pgTable(
  'accounts',
  {
    id: id(),
    accountId: text('account_id').notNull(),
    providerId: text('provider_id').notNull(),
    userId: belongsTo('user_id', () => users.id),
    accessToken: text('access_token'),
    refreshToken: text('refresh_token'),
    idToken: text('id_token'),
    accessTokenExpiresAt: moment('access_token_expires_at'),
    refreshTokenExpiresAt: moment('refresh_token_expires_at'),
    scope: text('scope'),
    password: text('password'),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('accounts_user_id').on(table.userId),
    // Two concurrent sign-ins must not create two accounts of one person.
    uniqueIndex('accounts_provider').on(table.providerId, table.accountId),
  ],
)

export const verifications = pgTable(
  'verifications',
  {
    id: id(),
    identifier: text('identifier').notNull(),
    value: text('value').notNull(),
    /** Of a trusted browser, so that its owner recognises it. */
    userAgent: text('user_agent'),
    expiresAt: moment('expires_at').notNull(),
    createdAt: createdAt(),
    updatedAt: updatedAt(),
  },
  (table) => [
    index('verifications_identifier').on(table.identifier),
    // The account of a reset link; other values are longer than a B-tree takes.
    index('verifications_value').using('hash', table.value),
    index('verifications_expires_at').on(table.expiresAt),
  ],
)

/** The mailed link that waits to be confirmed, one per account: for its first address, or for a new one. */
export const emailConfirmations = pgTable(
  'email_confirmations',
  {
    userUid: uuid('user_uid')
      .primaryKey()
      .references(() => users.id, { onDelete: 'cascade' }),
    email: text('email').notNull(),
    tokenHash: text('token_hash').notNull(),
    expiresAt: moment('expires_at').notNull(),
  },
  (table) => [index('email_confirmations_expires_at').on(table.expiresAt)],
)

export const jwks = pgTable('jwks', {
  id: id(),
  publicKey: text('public_key').notNull(),
  privateKey: text('private_key').notNull(),
  createdAt: createdAt(),
  expiresAt: moment('expires_at'),
  alg: text('alg'),
  crv: text('crv'),
})

/** Stores only the SHA-256 of a key: it has 256 random bits, so no slower hash is needed. */
export const playerKeys = pgTable(
  'player_keys',
  {
    uid: uid(),
    userUid: belongsTo('user_uid', () => users.id),
    label: text('label').notNull(),
    keyHash: text('key_hash').notNull().unique(),
    last4: text('last4').notNull(),
    scopes: text('scopes').array().notNull(),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('player_keys_user_uid').on(table.userUid)],
)

const ownedBy = (name: string) =>
  uuid(name)
    .notNull()
    .references(() => users.id, { onDelete: 'cascade' })

/** The authenticator app, one per account. */
export const authenticators = pgTable('authenticators', {
  userUid: ownedBy('user_uid').primaryKey(),
  /** Encrypted; shared with the app. */
  secret: text('secret').notNull(),
  /** Null until a code has proved that the app has the secret. */
  confirmedAt: moment('confirmed_at'),
  /** The time step of the newest code that was used: this code and older ones are rejected. */
  lastStep: bigint('last_step', { mode: 'number' }).notNull().default(0),
  createdAt: createdAt(),
})

/** Recovery codes that have not been used yet. */
export const recoveryCodes = pgTable(
  'recovery_codes',
  {
    userUid: ownedBy('user_uid'),
    codeHash: text('code_hash').notNull(),
    createdAt: createdAt(),
  },
  (table) => [primaryKey({ columns: [table.userUid, table.codeHash] })],
)

/** Property names are better-auth's field names. */
export const passkeys = pgTable(
  'passkeys',
  {
    id: uuid('id').primaryKey(),
    name: text('name'),
    publicKey: text('public_key').notNull(),
    userId: ownedBy('user_id'),
    credentialID: text('credential_id').notNull().unique(),
    counter: bigint('counter', { mode: 'number' }).notNull(),
    deviceType: text('device_type').notNull(),
    backedUp: boolean('backed_up').notNull(),
    transports: text('transports'),
    aaguid: text('aaguid'),
    createdAt: createdAt(),
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [index('passkeys_user_id').on(table.userId)],
)
