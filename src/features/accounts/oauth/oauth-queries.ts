import { and, desc, eq, inArray, isNull, lt, notExists, type SQL, sql } from 'drizzle-orm'

import { changed, countChanged, type Db, one, pageOf } from '../../../db/client.ts'
import { jwks, users } from '../../../db/schema/accounts.ts'
import {
  oauthAccessTokens,
  oauthClients,
  oauthConsents,
  oauthRefreshTokens,
  oauthResources,
} from '../../../db/schema/oauth.ts'
import { createUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'

export type LiveToken = NonNullable<Awaited<ReturnType<typeof findLiveToken>>>

export async function findOauthClient(db: Db, clientId: string) {
  return await one(
    db
      .select({ name: oauthClients.name, redirectUris: oauthClients.redirectUris })
      .from(oauthClients)
      .where(eq(oauthClients.clientId, clientId)),
  )
}

/** Inserted here, because instances that start at the same time would race in the library's own inserts. */
export async function ensureOauthResources(db: Db, identifiers: readonly string[]): Promise<void> {
  const now = new Date()
  const rows = identifiers.map((identifier) => ({
    id: createUid(),
    identifier,
    name: identifier,
    createdAt: now,
    updatedAt: now,
  }))
  await db.insert(oauthResources).values(rows).onConflictDoNothing()
}

export async function listSigningKeys(db: Db) {
  return await db
    .select({ id: jwks.id, publicKey: jwks.publicKey, alg: jwks.alg, expiresAt: jwks.expiresAt })
    .from(jwks)
    .orderBy(desc(jwks.createdAt))
    .limit(20)
}

/** Anyone can register a program, so those that nobody authorized are deleted. */
export async function deleteUnusedClients(db: Db, registeredBefore: Date): Promise<void> {
  const consents = db.select().from(oauthConsents).where(eq(oauthConsents.clientId, oauthClients.clientId))
  const tokens = db
    .select()
    .from(oauthRefreshTokens)
    .where(eq(oauthRefreshTokens.clientId, oauthClients.clientId))
  await db
    .delete(oauthClients)
    .where(and(lt(oauthClients.createdAt, registeredBefore), notExists(consents), notExists(tokens)))
}

export async function insertAccessToken(
  db: Db,
  values: Omit<typeof oauthAccessTokens.$inferInsert, 'id'>,
): Promise<void> {
  await db.insert(oauthAccessTokens).values({ id: createUid(), ...values })
}

/** Includes the scopes that its consent allows now. Revoked and forged tokens are not found, nor those of suspended accounts. */
export async function findLiveToken(db: Db, tokenId: string) {
  return await one(
    db
      .select({
        userUid: users.id,
        adultContent: users.adultContent,
        hiddenTags: users.hiddenTags,
        clientId: oauthAccessTokens.clientId,
        tokenId: oauthAccessTokens.id,
        scopes: oauthAccessTokens.scopes,
        consentUid: oauthConsents.id,
        consentedScopes: oauthConsents.scopes,
      })
      .from(oauthAccessTokens)
      .innerJoin(users, eq(users.id, oauthAccessTokens.userId))
      .innerJoin(
        oauthConsents,
        and(
          eq(oauthConsents.userId, oauthAccessTokens.userId),
          eq(oauthConsents.clientId, oauthAccessTokens.clientId),
        ),
      )
      .where(
        and(
          eq(oauthAccessTokens.token, tokenId),
          isNull(oauthAccessTokens.revoked),
          isNull(users.suspendedAt),
        ),
      ),
  )
}

export async function deleteAccessToken(db: Db, clientId: string, tokenId: string): Promise<void> {
  await db
    .delete(oauthAccessTokens)
    .where(and(eq(oauthAccessTokens.clientId, clientId), eq(oauthAccessTokens.token, tokenId)))
}

export async function findRefreshToken(db: Db, hash: string) {
  return await one(
    db
      .select({ id: oauthRefreshTokens.id, authorizationCodeId: oauthRefreshTokens.authorizationCodeId })
      .from(oauthRefreshTokens)
      .where(eq(oauthRefreshTokens.token, hash)),
  )
}

/** Deletes every token issued from the same code; access tokens are deleted with their refresh tokens. */
export async function deleteRefreshFamily(db: Db, clientId: string, hash: string): Promise<void> {
  const family = db
    .select({ code: oauthRefreshTokens.authorizationCodeId })
    .from(oauthRefreshTokens)
    .where(and(eq(oauthRefreshTokens.clientId, clientId), eq(oauthRefreshTokens.token, hash)))
  await db
    .delete(oauthRefreshTokens)
    .where(
      and(eq(oauthRefreshTokens.clientId, clientId), inArray(oauthRefreshTokens.authorizationCodeId, family)),
    )
}

export async function listPrograms(db: Db, userUid: string, page: Page) {
  const isOwn = eq(oauthConsents.userId, userUid)
  const programs = db
    .select({
      clientId: oauthConsents.clientId,
      name: oauthClients.name,
      scopes: oauthConsents.scopes,
      connectedAt: oauthConsents.createdAt,
      lastUsedAt: oauthConsents.lastUsedAt,
    })
    .from(oauthConsents)
    .innerJoin(oauthClients, eq(oauthClients.clientId, oauthConsents.clientId))
    .where(isOwn)
    .orderBy(desc(oauthConsents.id))
  return await pageOf(programs, db.$count(oauthConsents, isOwn), page)
}

/** Deletes its tokens too. Returns whether there was one. */
export async function deleteConsent(db: Db, userUid: string, clientId: string): Promise<boolean> {
  return await changed(
    deleteHeld(
      db,
      and(eq(oauthRefreshTokens.userId, userUid), eq(oauthRefreshTokens.clientId, clientId)),
      and(eq(oauthConsents.userId, userUid), eq(oauthConsents.clientId, clientId)),
    ),
  )
}

/** The same for all programs of a person. Returns how many there were. */
export async function deleteConsents(db: Db, userUid: string): Promise<number> {
  return await countChanged(
    deleteHeld(db, eq(oauthRefreshTokens.userId, userUid), eq(oauthConsents.userId, userUid)),
  )
}

/** Locks the tokens first, in the same order as a refresh, to avoid a deadlock. */
async function deleteHeld(db: Db, tokens: SQL | undefined, consents: SQL | undefined) {
  const held = db
    .$with('held')
    .as(
      db
        .select({ id: oauthRefreshTokens.id })
        .from(oauthRefreshTokens)
        .where(tokens)
        .orderBy(oauthRefreshTokens.id)
        .for('update'),
    )
  return await db
    .with(held)
    .delete(oauthConsents)
    .where(and(consents, sql`(select count(*) from ${held}) >= 0`))
}

/** Writes at most once a minute per consent, however often its tokens are used. */
export async function touchConsent(db: Db, uid: string): Promise<void> {
  await db
    .update(oauthConsents)
    .set({ lastUsedAt: new Date() })
    .where(
      and(
        eq(oauthConsents.id, uid),
        sql`(${oauthConsents.lastUsedAt} is null or ${oauthConsents.lastUsedAt} < now() - interval '1 minute')`,
      ),
    )
}
