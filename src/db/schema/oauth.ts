import {
  type AnyPgColumn,
  boolean,
  foreignKey,
  index,
  integer,
  jsonb,
  pgTable,
  text,
  unique,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core'

import { sessions, users } from './accounts.ts'
import { moment } from './columns.ts'

/** The tables of better-auth's authorization server; property names are the library's. */
const id = () => uuid('id').primaryKey()
const clientId = () =>
  text('client_id')
    .notNull()
    .references(() => oauthClients.clientId, { onDelete: 'cascade' })
const userId = () => uuid('user_id').references(() => users.id, { onDelete: 'cascade' })
const sessionId = () => uuid('session_id').references(() => sessions.id, { onDelete: 'set null' })
const list = (name: string) => text(name).array()
/** Deletes tokens with the consent they come from, however that is removed. */
const ofConsent = (name: string, table: { userId: AnyPgColumn; clientId: AnyPgColumn }) =>
  foreignKey({
    name,
    columns: [table.userId, table.clientId],
    foreignColumns: [oauthConsents.userId, oauthConsents.clientId],
  }).onDelete('cascade')

export const oauthClients = pgTable(
  'oauth_clients',
  {
    id: id(),
    clientId: text('client_id').notNull().unique(),
    clientSecret: text('client_secret'),
    clientDiscoveryId: text('client_discovery_id'),
    disabled: boolean('disabled').default(false),
    skipConsent: boolean('skip_consent'),
    enableEndSession: boolean('enable_end_session'),
    subjectType: text('subject_type'),
    scopes: list('scopes'),
    clientCredentialsScopes: list('client_credentials_scopes'),
    userId: userId(),
    createdAt: moment('created_at'),
    updatedAt: moment('updated_at'),
    name: text('name'),
    uri: text('uri'),
    icon: text('icon'),
    contacts: list('contacts'),
    tos: text('tos'),
    policy: text('policy'),
    softwareId: text('software_id'),
    softwareVersion: text('software_version'),
    softwareStatement: text('software_statement'),
    redirectUris: list('redirect_uris').notNull(),
    postLogoutRedirectUris: list('post_logout_redirect_uris'),
    backchannelLogoutUri: text('backchannel_logout_uri'),
    backchannelLogoutSessionRequired: boolean('backchannel_logout_session_required'),
    tokenEndpointAuthMethod: text('token_endpoint_auth_method'),
    applicationType: text('application_type'),
    jwks: text('jwks'),
    jwksUri: text('jwks_uri'),
    grantTypes: list('grant_types'),
    responseTypes: list('response_types'),
    requirePKCE: boolean('require_pkce'),
    dpopBoundAccessTokens: boolean('dpop_bound_access_tokens').default(false),
    referenceId: text('reference_id'),
    metadata: jsonb('metadata'),
  },
  (table) => [index('oauth_clients_user_id').on(table.userId)],
)

export const oauthResources = pgTable('oauth_resources', {
  id: id(),
  identifier: text('identifier').notNull().unique(),
  name: text('name').notNull(),
  accessTokenTtl: integer('access_token_ttl'),
  refreshTokenTtl: integer('refresh_token_ttl'),
  signingAlgorithm: text('signing_algorithm'),
  signingKeyId: text('signing_key_id'),
  allowedScopes: list('allowed_scopes'),
  customClaims: jsonb('custom_claims'),
  dpopBoundAccessTokensRequired: boolean('dpop_bound_access_tokens_required').default(false),
  disabled: boolean('disabled').default(false),
  createdAt: moment('created_at'),
  updatedAt: moment('updated_at'),
  policyVersion: integer('policy_version').default(1),
  metadata: jsonb('metadata'),
})

export const oauthClientResources = pgTable(
  'oauth_client_resources',
  {
    id: id(),
    clientId: clientId(),
    resourceId: text('resource_id').notNull(),
    metadata: jsonb('metadata'),
    createdAt: moment('created_at'),
  },
  (table) => [
    uniqueIndex('oauth_client_resources_pair').on(table.clientId, table.resourceId),
    // Named explicitly: the generated name would exceed the 63 characters that Postgres allows.
    foreignKey({
      name: 'oauth_client_resources_resource_id_fk',
      columns: [table.resourceId],
      foreignColumns: [oauthResources.identifier],
    }).onDelete('cascade'),
  ],
)

export const oauthRefreshTokens = pgTable(
  'oauth_refresh_tokens',
  {
    id: id(),
    token: text('token').notNull().unique(),
    clientId: clientId(),
    sessionId: sessionId(),
    userId: userId().notNull(),
    referenceId: text('reference_id'),
    authorizationCodeId: text('authorization_code_id'),
    resources: list('resources'),
    requestedUserInfoClaims: list('requested_user_info_claims'),
    expiresAt: moment('expires_at'),
    createdAt: moment('created_at'),
    revoked: moment('revoked'),
    rotatedAt: moment('rotated_at'),
    rotationReplayResponse: text('rotation_replay_response'),
    rotationReplayExpiresAt: moment('rotation_replay_expires_at'),
    authTime: moment('auth_time'),
    confirmation: jsonb('confirmation'),
    scopes: list('scopes').notNull(),
  },
  (table) => [
    index('oauth_refresh_tokens_client_id').on(table.clientId),
    index('oauth_refresh_tokens_session_id').on(table.sessionId),
    index('oauth_refresh_tokens_user_id').on(table.userId),
    index('oauth_refresh_tokens_code').on(table.authorizationCodeId),
    ofConsent('oauth_refresh_tokens_consent_fk', table),
  ],
)

/** All active access tokens. They are signed, so `token` holds only the id in their claims (`jti`). */
export const oauthAccessTokens = pgTable(
  'oauth_access_tokens',
  {
    id: id(),
    token: text('token').unique(),
    clientId: clientId(),
    sessionId: sessionId(),
    userId: userId(),
    referenceId: text('reference_id'),
    authorizationCodeId: text('authorization_code_id'),
    resources: list('resources'),
    requestedUserInfoClaims: list('requested_user_info_claims'),
    refreshId: uuid('refresh_id').references(() => oauthRefreshTokens.id, { onDelete: 'cascade' }),
    expiresAt: moment('expires_at'),
    createdAt: moment('created_at'),
    revoked: moment('revoked'),
    confirmation: jsonb('confirmation'),
    scopes: list('scopes').notNull(),
  },
  (table) => [
    index('oauth_access_tokens_client_id').on(table.clientId),
    index('oauth_access_tokens_session_id').on(table.sessionId),
    index('oauth_access_tokens_user_id').on(table.userId),
    index('oauth_access_tokens_code').on(table.authorizationCodeId),
    index('oauth_access_tokens_refresh_id').on(table.refreshId),
    ofConsent('oauth_access_tokens_consent_fk', table),
  ],
)

export const oauthConsents = pgTable(
  'oauth_consents',
  {
    id: id(),
    clientId: clientId(),
    userId: userId(),
    referenceId: text('reference_id'),
    resources: list('resources'),
    requestedUserInfoClaims: list('requested_user_info_claims'),
    scopes: list('scopes').notNull(),
    createdAt: moment('created_at'),
    updatedAt: moment('updated_at'),
    /** Our own column: when one of its tokens was last used, to the minute. */
    lastUsedAt: moment('last_used_at'),
  },
  (table) => [
    index('oauth_consents_client_id').on(table.clientId),
    unique('oauth_consents_pair').on(table.userId, table.clientId),
  ],
)

export const oauthClientAssertions = pgTable('oauth_client_assertions', {
  id: text('id').primaryKey(),
  expiresAt: moment('expires_at').notNull(),
})
