import type { Agent, Player, StorePlayer, WebsiteUser } from '../../domain/actor.ts'
import type { SecondFactorPolicy } from '../../domain/confirmation.ts'
import type { Followed } from '../../domain/follows.ts'
import type { Storefront } from '../../domain/storefront.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'

interface DeployKeyRecord {
  keyUid: string
  gameUid: string
  ownerUid: string
  secretHash: string
  revoked: boolean
  /** Whether the owner of the game, or the issuer of the key, is suspended. */
  suspended: boolean
  /** Of a trusted publisher's key. */
  expiresAt: Date | null
  /** The only channels that it may upload to; null for all. */
  channels: readonly string[] | null
}

export interface GameKeyRecord {
  gameUid: string
  /** SHA-256 of the auth key. */
  keyHash: string
}

/** Looks up credentials. The features own the tables; `auth.ts` owns the rules. */
export interface CredentialSources {
  findPlayerByKey(key: string): Promise<Player | null>
  /** With `tools`, an agent is only found by a token that was issued for the agent tools. */
  findActorByToken(token: string, audience?: 'tools'): Promise<Player | Agent | null>
  /** null unless it is a session token of the external-store sign-in that is still valid. */
  findStorePlayer(token: string): Promise<StorePlayer | null>
  /** null unless it is a token of a visit for the saves of its game that is still valid. */
  findSaveVisit(token: string): { userUid: string; gameUid: string } | null
  findUserBySession(headers: Headers): Promise<WebsiteUser | null>
  secondFactorPolicy(): Promise<SecondFactorPolicy>
  /** How the store presents itself now. */
  storefront(): Storefront
  /** What an account follows, for the marks on pages. */
  readFollowed(userUid: string): Promise<Followed>
  /** Whether the store has a public jam, for the links of every page. */
  hasJams(): boolean
  /** How many notices an account has not read, for the bell on pages. */
  countUnread(reader: WebsiteUser): Promise<number>
  findDeployKey(accessToken: string): Promise<DeployKeyRecord | null>
  /**
   * The cached key. It may be stale, so it only serves to refuse strangers before their bodies are read: see
   * `readGameKey`.
   */
  recallGameKey(ref: string): GameKeyRecord | null
  /** Throws if there is no such listing, or its sign-in is off. */
  findGameKey(ref: string): Promise<GameKeyRecord>
  /**
   * The key as it is in the database now. Also reads what the body refers to, which saves the handler a
   * query.
   */
  readGameKey(gameUid: string, body: unknown): Promise<GameKeyRecord>
  /** Whether it is the auth key of any game whose sign-in is on. */
  isGameKey(bearer: string): Promise<boolean>
  /** Accepts a listing's uid or its vanity name. */
  findGameUid(ref: string): Promise<string>
  /** The listing that a user's writes are counted under. */
  findListingUid(ref: string, userUid: string): Promise<string>
}

/**
 * `Authorization: Bearer …` takes precedence over a bare value in SVC_GAMES. A malformed header returns an
 * empty text, never null.
 */
export function parseBearer(headers: Headers): string | null {
  const authorization = headers.get('authorization')
  if (authorization !== null) return /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1] ?? ''
  return headers.get('svc_games')?.trim() ?? null
}

/** Whether `parseBearer` finds something, be it malformed. */
export function hasBearer(headers: Headers): boolean {
  return headers.has('authorization') || headers.has('svc_games')
}

/**
 * A hash of the credential in the request, to tell senders apart before their access is checked; null for
 * guests.
 */
export function findCredential(headers: Headers): string | null {
  const sent =
    parseBearer(headers) ??
    headers.get('x-access-token') ??
    /session_token=[^;]+/.exec(headers.get('cookie') ?? '')?.[0]
  return sent === undefined ? null : sha256Hex(sent)
}
