import { deleteInBatches } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { type Claims, type SignedIn, TOKEN_SECONDS } from './model.ts'
import * as queries from './queries.ts'
import { type GameKey, requireOn, type SignIn, type StoreGame } from './service.ts'
import { audienceOf, parseToken, signToken, verifyParsedToken } from './tokens.ts'

const sessionsOfBodies = new WeakMap<object, Promise<ReadSession>>()
const NO_UID = '00000000-0000-0000-0000-000000000000'
const RETENTION_MS = 30 * DAY_MS
const BATCH = 5000

interface Player {
  extstoreId: string
  /** The owner of the copy; the player's own id unless it is borrowed. */
  ownerExtstoreId: string
  vac: boolean
  ip: string
}

interface ReadSession {
  found: queries.FoundSession
  key: GameKey
  game: StoreGame
  /** null: the token is unknown, or not of this game. */
  claims: Claims | null
}

/** Loads the session behind a token with one query, whether the token is valid or not. */
export async function loadSession(
  { deps, keys, findSession }: SignIn,
  gameUid: string,
  token: string,
): Promise<ReadSession> {
  const parsed = parseToken(token)
  const jti = parsed?.payload.jti
  const found = await findSession({ gameUid, jti: typeof jti === 'string' && isUid(jti) ? jti : NO_UID })
  if (!found || found.authKey === null || found.webApiKey === null) throw new AppError('sign_in_off')
  const key = keys.open(gameUid, found.authKey)
  const game = { gameUid, appId: Number(found.appId), webApiKey: found.webApiKey }
  const claims = parsed && verifyParsedToken(key.authKey, parsed, { issuer: deps.config.issuer, ...game })
  const isKnown = claims !== null && claims.sub === found.extstoreId
  return { found, key, game, claims: isKnown ? claims : null }
}

/** Read once per request: authentication confirms the key with it, and the handler reuses the result. */
export async function loadSessionOfBody(
  signIn: SignIn,
  gameUid: string,
  body: unknown,
): Promise<ReadSession> {
  if (typeof body !== 'object' || body === null) return await loadSession(signIn, gameUid, '')
  const cached = sessionsOfBodies.get(body)
  if (cached) return await cached
  const token = 'token' in body && typeof body.token === 'string' ? body.token : ''
  const reading = loadSession(signIn, gameUid, token)
  sessionsOfBodies.set(body, reading)
  return await reading
}

/** Signs with the key that is current when the session is inserted, and revokes the token it replaces. */
export async function issueToken(
  { deps, keys }: SignIn,
  gameUid: string,
  player: Player,
  replaces: string | null = null,
): Promise<SignedIn> {
  const jti = createUid()
  const iat = Math.floor(Date.now() / 1000)
  const exp = iat + TOKEN_SECONDS
  const expiresAt = new Date(exp * 1000)
  const isBorrowed = player.ownerExtstoreId !== player.extstoreId
  const ownerExtstoreId = isBorrowed ? player.ownerExtstoreId : null

  const { appId, authKey, userUid } = await deps.db.transaction(async (tx) => {
    const link = requireOn(await queries.lockLink(tx, gameUid, 'share'))
    if (replaces !== null && !(await queries.endSession(tx, gameUid, replaces)))
      throw new AppError('session_token_invalid', {
        message: 'The token was revoked. Sign in with a new ticket.',
      })
    const { extstoreId, ip } = player
    const session = { uid: jti, gameUid, extstoreId, ownerExtstoreId, ip, expiresAt }
    return { ...link, userUid: await queries.insertSession(tx, session) }
  })

  const token = await signToken(keys.open(gameUid, authKey).authKey, {
    iss: deps.config.issuer,
    aud: audienceOf(appId),
    gid: gameUid,
    sub: player.extstoreId,
    ...(ownerExtstoreId === null ? {} : { osid: ownerExtstoreId }),
    own: true,
    vac: player.vac,
    ...(userUid === null ? {} : { buid: userUid }),
    jti,
    iat,
    exp,
  })
  return {
    token,
    expires_at: expiresAt.toISOString(),
    extstore_id: player.extstoreId,
    family_shared: isBorrowed,
    session_uid: jti,
    ...(userUid === null ? {} : { svc_user_uid: userUid }),
  }
}

/** Deletes sessions 30 days after their token expired, and revocations with the last session they affect. */
export async function deleteOldSessions(
  { db }: Pick<Deps, 'db'>,
  signal: AbortSignal,
  now: Date = new Date(),
): Promise<number> {
  const expiredBefore = new Date(now.getTime() - RETENTION_MS)
  const removed = await deleteInBatches(
    BATCH,
    (limit) => queries.deleteSessions(db, expiredBefore, limit),
    signal,
  )
  await queries.deleteRevocations(db, new Date(expiredBefore.getTime() - TOKEN_SECONDS * 1000))
  return removed
}
