import { ExtStoreFailure } from '../../../clients/ext-store/ext-store.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import type { Settings } from './model.ts'
import * as queries from './queries.ts'

const WEB_API_KEY = /^[0-9A-F]{32}$/

type Sealing = Pick<Deps, 'keyring'>

/** One app, one listing, also under concurrent calls. Linking the same pair again changes nothing. */
export async function linkApp(tx: Transaction, gameUid: string, appId: number): Promise<void> {
  if (await queries.insertLink(tx, gameUid, appId)) return
  const own = await queries.findLink(tx, gameUid)
  if (own?.appId === appId) return
  throw new AppError('store_app_linked', {
    message: own
      ? `This listing is linked to app ${own.appId}. Unlink it first.`
      : `App ${appId} is linked to another listing.`,
  })
}

/** Creates both keys if sign-in is off; if it is on, only replaces the Web API key. */
export async function enableSignIn(
  tx: Transaction,
  deps: Sealing,
  gameUid: string,
  webApiKey: string,
): Promise<void> {
  const isLinked = await queries.saveKeys(tx, gameUid, {
    ...createAuthKey(deps, gameUid),
    ticketKey: createTicketKey(),
    webApiKey: deps.keyring.encrypt(webApiKey, encryptionContext.webApiKey(gameUid)),
  })
  if (!isLinked) throw new AppError('store_not_linked')
}

export async function markSynced(tx: Transaction, gameUid: string): Promise<void> {
  await queries.touchSync(tx, gameUid)
}

export async function readSettings(
  db: Db,
  deps: Pick<Deps, 'keyring' | 'config'>,
  gameUid: string,
): Promise<Settings> {
  const link = await requireLink(db, gameUid)
  const authKey = openAuthKey(deps, link)
  const routes = `${deps.config.baseUrl}/api/v1/extstore/${gameUid}`
  return {
    app_id: String(link.appId),
    enabled: authKey !== null,
    auth_key_last4: authKey?.slice(-4) ?? null,
    ticket_key: link.ticketKey,
    has_web_api_key: link.webApiKey !== null,
    urls: {
      auth: `${routes}/auth`,
      refresh: `${routes}/refresh`,
      verify: `${routes}/server/verify`,
      revoke: `${routes}/server/revoke`,
      ownership: `${routes}/server/ownership/{extstore_id}`,
    },
    linked_at: link.linkedAt.toISOString(),
    last_sync_at: link.lastSyncAt?.toISOString() ?? null,
  }
}

export async function readSavedWebApiKey(db: Db, deps: Sealing, gameUid: string): Promise<string | null> {
  const link = await queries.findLink(db, gameUid)
  if (!link || link.webApiKey === null) return null
  return deps.keyring.decrypt(link.webApiKey, encryptionContext.webApiKey(gameUid))
}

export function readWebApiKey(given: unknown): string {
  const key = typeof given === 'string' ? given.trim() : ''
  if (WEB_API_KEY.test(key)) return key
  throw invalidField('web_api_key', 'must have 32 characters, each of 0-9 and A-F.', {
    kind: 'store_input_invalid',
  })
}

/** Calls the store, so it must not run inside a transaction. */
export async function requireCoveringKey(
  deps: Pick<Deps, 'extStore'>,
  webApiKey: string,
  appId: number,
): Promise<void> {
  if (await askStore(() => deps.extStore.coversApp(webApiKey, appId), 'store_key_not_covering')) return
  throw new AppError('store_key_not_covering', {
    message: `This key does not cover app ${appId}. Create a publisher key in the group that contains the app.`,
  })
}

/** Maps the store's failures to our codes; the code for a refused key depends on who sent it. */
export async function askStore<Result>(
  ask: () => Promise<Result>,
  whenKeyRefused: 'store_key_not_covering' | 'store_unreachable' = 'store_unreachable',
): Promise<Result> {
  try {
    return await ask()
  } catch (error) {
    if (!(error instanceof ExtStoreFailure)) throw error
    const isRefused = error.reason === 'key_refused'
    const message = isRefused ? 'The external store refused the Web API key. Replace it.' : undefined
    throw new AppError(isRefused ? whenKeyRefused : 'store_unreachable', {
      cause: error,
      ...(message === undefined ? {} : { message }),
    })
  }
}

export async function requireLink(db: Db, gameUid: string): Promise<queries.LinkRow> {
  const link = await queries.findLink(db, gameUid)
  if (!link) throw new AppError('store_not_linked')
  return link
}

/** null while sign-in is off. */
export function openAuthKey(
  deps: Sealing,
  { gameUid, authKey }: Pick<queries.LinkRow, 'gameUid' | 'authKey'>,
): string | null {
  if (authKey === null) return null
  return deps.keyring.decrypt(authKey, encryptionContext.gameAuthKey(gameUid))
}

/** A new key, encrypted, with the hash by which it is found. */
export function createAuthKey(deps: Sealing, gameUid: string): { authKey: string; authKeyHash: string } {
  const key = randomHex(64)
  const authKey = deps.keyring.encrypt(key, encryptionContext.gameAuthKey(gameUid))
  return { authKey, authKeyHash: sha256Hex(key) }
}

export const createTicketKey = () => `svc_${randomHex(16)}`

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
}
