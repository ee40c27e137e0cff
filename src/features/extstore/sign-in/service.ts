import type { Db } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { isExtstoreId } from '../../../domain/external-store.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import type { Keyring } from '../../../lib/keyring.ts'
import { respond } from '../../../lib/respond.ts'
import { askExtstore } from '../link/service.ts'
import { Ownership } from './model.ts'
import { type AskedSession, findGameLink, type FoundSession, type GameLink, listSessions } from './queries.ts'

/** The minimum time between two reads under load; an idle process reads immediately. */
const READS_APART_MS = 5
const MAX_KEYS = 10_000

/** State that the sign-ins of one process share. */
export interface SignIn {
  deps: Deps
  keys: GameKeys
  findSession: FindSession
}

/** A linked listing whose sign-in is on. */
type OpenLink = { [Field in keyof GameLink]: NonNullable<GameLink[Field]> }

export function createSignIn(deps: Deps): SignIn {
  return {
    deps,
    keys: createGameKeys(deps.keyring),
    findSession: createFindSession(deps.db),
  }
}

export async function openLink(signIn: Pick<SignIn, 'deps'>, ref: string): Promise<OpenLink> {
  return requireOn(await requireGame(signIn, ref))
}

export function requireOn(link: GameLink | undefined): OpenLink {
  if (!link) throw new AppError('sign_in_off')
  const { gameUid, appId, authKey, ticketKey, webApiKey } = link
  if (appId === null || authKey === null || ticketKey === null || webApiKey === null)
    throw new AppError('sign_in_off')
  return { gameUid, appId, authKey, ticketKey, webApiKey }
}

export function openWebApiKey({ deps }: SignIn, gameUid: string, sealed: string): string {
  return deps.keyring.decrypt(sealed, encryptionContext.webApiKey(gameUid))
}

export async function requireGame({ deps }: Pick<SignIn, 'deps'>, ref: string): Promise<GameLink> {
  const link = await findGameLink(deps.db, ref)
  if (!link) throw new AppError('not_found')
  return link
}

type FindSession = (asked: AskedSession) => Promise<FoundSession | undefined>

/** Concurrent lookups share one statement. */
function createFindSession(db: Db): FindSession {
  const find = coalesce(async (keys) => {
    const found = await listSessions(db, keys.map(fromKey))
    return new Map(found.map((session) => [toKey(session), session]))
  }, READS_APART_MS)
  return (asked) => find(toKey(asked))
}

const toKey = ({ gameUid, jti }: AskedSession) => `${gameUid} ${jti}`.toLowerCase()

function fromKey(key: string): AskedSession {
  const [gameUid = '', jti = ''] = key.split(' ')
  return { gameUid, jti }
}

/** The decrypted auth key of a game. */
export interface GameKey {
  gameUid: string
  keyHash: string
  /** The key that signs tokens, as it is shown. */
  authKey: string
}

interface GameKeys {
  open(gameUid: string, sealed: string): GameKey
  /** The key that was last decrypted for this game; it may have been replaced since. */
  recall(gameUid: string): GameKey | null
}

/** Opening a key costs as much as checking a token with it, so each game's last one is cached. */
function createGameKeys(keyring: Keyring): GameKeys {
  const cached = new BoundedCache<GameKey & { sealed: string }>({ maxEntries: MAX_KEYS })
  return {
    open(gameUid, sealed) {
      const known = cached.get(gameUid)
      if (known?.sealed === sealed) return known
      const authKey = keyring.decrypt(sealed, encryptionContext.gameAuthKey(gameUid))
      const key = { gameUid, sealed, keyHash: sha256Hex(authKey), authKey }
      cached.set(gameUid, key)
      return key
    },
    recall: (gameUid) => cached.get(gameUid) ?? null,
  }
}

export function requireExtstoreId(value: string): string {
  if (isExtstoreId(value)) return value
  throw invalidField('extstore_id', 'must be a 64-bit account id, written in digits.', {
    kind: 'store_input_invalid',
  })
}

/** The game's id at the store, with the key to query it. */
export interface StoreGame {
  gameUid: string
  appId: number
  /** Encrypted, as stored. */
  webApiKey: string
}

export async function checkOwnership(
  signIn: SignIn,
  game: StoreGame,
  extstoreId: string,
): Promise<Ownership> {
  const webApiKey = openWebApiKey(signIn, game.gameUid, game.webApiKey)
  const { extStore } = signIn.deps
  const owned = await askExtstore(() => extStore.checkOwnership(webApiKey, { appId: game.appId, extstoreId }))
  return respond(Ownership, owned, { checked_at: new Date().toISOString() })
}
