import type { Agent, Player, WebsiteUser } from '../domain/actor.ts'

export interface DeployKeyRecord {
  keyUid: string
  gameUid: string
  secretHash: string
  revoked: boolean
}

export interface GameKeyRecord {
  gameUid: string
  /** SHA-256 of the auth key. */
  keyHash: string
}

/** How credentials are looked up. The features own the tables; `auth.ts` owns the rules. */
export interface CredentialSources {
  findPlayerByKey(key: string): Promise<Player | null>
  findActorByToken(token: string): Promise<Player | Agent | null>
  findUserBySession(headers: Headers): Promise<WebsiteUser | null>
  findDeployKey(accessToken: string): Promise<DeployKeyRecord | null>
  /** Seen a moment ago and perhaps replaced since, so it only spares strangers' bodies: see `readGameKey`. */
  recallGameKey(ref: string): GameKeyRecord | null
  /** Throws where there is no such listing, or its sign-in is off. */
  findGameKey(ref: string): Promise<GameKeyRecord>
  /** As it is in the database now. What the body names is read along, so that the handler need not ask again. */
  readGameKey(gameUid: string, body: unknown): Promise<GameKeyRecord>
  /** A listing goes by its uid or its vanity name. */
  findGameUid(ref: string): Promise<string>
  /** What a person's writes to a listing are counted under. */
  findListingUid(ref: string, userUid: string): Promise<string>
}

/** `Authorization: Bearer …` wins over a bare value in SVC_GAMES. An unreadable one is an empty text, never absent. */
export function readBearer(headers: Headers): string | null {
  const authorization = headers.get('authorization')
  if (authorization !== null) return /^Bearer +(\S+)\s*$/i.exec(authorization)?.[1] ?? ''
  return headers.get('svc_games')?.trim() ?? null
}
