import { ExtStoreFailure } from '../../../clients/extstore/client.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { respond } from '../../../lib/respond.ts'
import { changeGame, openGame } from '../../games/service.ts'
import { type AuthKey, Settings } from './model.ts'
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

export async function loadSettings(
  db: Db,
  deps: Pick<Deps, 'keyring' | 'config'>,
  gameUid: string,
): Promise<Settings> {
  const link = await requireLink(db, gameUid)
  const authKey = openAuthKey(deps, link)
  const routes = `${deps.config.baseUrl}/api/v1/extstore/${gameUid}`
  return respond(Settings, link, {
    app_id: String(link.appId),
    enabled: authKey !== null,
    auth_key_last4: authKey?.slice(-4) ?? null,
    has_web_api_key: link.webApiKey !== null,
    urls: {
      auth: `${routes}/auth`,
      refresh: `${routes}/refresh`,
      verify: `${routes}/server/verify`,
      revoke: `${routes}/server/revoke`,
      ownership: `${routes}/server/ownership/{extstore_id}`,
    },
  })
}

export async function findSavedWebApiKey(db: Db, deps: Sealing, gameUid: string): Promise<string | null> {
  const link = await queries.findLink(db, gameUid)
  if (!link || link.webApiKey === null) return null
  return deps.keyring.decrypt(link.webApiKey, encryptionContext.webApiKey(gameUid))
}

export function parseWebApiKey(given: unknown): string {
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
  if (await askExtstore(() => deps.extStore.coversApp(webApiKey, appId), 'store_key_not_covering')) return
  throw new AppError('store_key_not_covering', {
    message: `This key does not cover app ${appId}. Create a publisher key in the group that contains the app.`,
  })
}

/** Maps the store's failures to our codes; the code for a refused key depends on who sent it. */
export async function askExtstore<Result>(
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
function openAuthKey(
  deps: Sealing,
  { gameUid, authKey }: Pick<queries.LinkRow, 'gameUid' | 'authKey'>,
): string | null {
  if (authKey === null) return null
  return deps.keyring.decrypt(authKey, encryptionContext.gameAuthKey(gameUid))
}

/** A new key, encrypted, with the hash by which it is found. */
function createAuthKey(deps: Sealing, gameUid: string): { authKey: string; authKeyHash: string } {
  const key = randomHex(64)
  const authKey = deps.keyring.encrypt(key, encryptionContext.gameAuthKey(gameUid))
  return { authKey, authKeyHash: sha256Hex(key) }
}

const createTicketKey = () => `svc_${randomHex(16)}`

function randomHex(bytes: number): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(bytes))).toString('hex')
}

export async function getSettings(deps: Deps, actor: WebsiteUser, ref: string): Promise<Settings> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await loadSettings(deps.db, deps, game.uid)
}

export async function getAuthKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<AuthKey> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const authKey = openAuthKey(deps, requireEnabled(await requireLink(deps.db, game.uid)))
  if (authKey === null) throw new AppError('sign_in_off')
  record(deps, actor, game.uid, 'The auth key of a game was shown')
  return { auth_key: authKey }
}

/** If sign-in is already on, this only replaces the Web API key. */
export async function turnOn(deps: Deps, actor: WebsiteUser, ref: string, given: string): Promise<Settings> {
  const { appId, webApiKey } = await checkKey(deps, actor, ref, given, (link) => link)
  return await change(deps, actor, ref, 'External-store sign-in was turned on', async (tx, link) => {
    requireApp(link, appId)
    await enableSignIn(tx, deps, link.gameUid, webApiKey)
  })
}

export async function replaceWebApiKey(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  given: string,
): Promise<Settings> {
  const { appId, webApiKey } = await checkKey(deps, actor, ref, given, requireEnabled)
  return await change(deps, actor, ref, 'The Web API key of a game was replaced', async (tx, link) => {
    const { gameUid } = requireApp(requireEnabled(link), appId)
    const sealed = deps.keyring.encrypt(webApiKey, encryptionContext.webApiKey(gameUid))
    await queries.replaceKey(tx, gameUid, { webApiKey: sealed })
  })
}

/** Tokens signed with the old key no longer verify, and all of them are revoked. */
export async function renewAuthKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<Settings> {
  return await change(deps, actor, ref, 'The auth key of a game was renewed', async (tx, link) => {
    const { gameUid } = requireEnabled(link)
    await queries.replaceKey(tx, gameUid, createAuthKey(deps, gameUid))
    await queries.endEveryToken(tx, gameUid)
  })
}

export async function renewTicketKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<Settings> {
  return await change(deps, actor, ref, 'The ticket key of a game was renewed', async (tx, link) => {
    await queries.replaceKey(tx, requireEnabled(link).gameUid, { ticketKey: createTicketKey() })
  })
}

/** Does nothing if it is already off. */
export async function turnOff(deps: Deps, actor: WebsiteUser, ref: string): Promise<Settings> {
  return await change(deps, actor, ref, 'External-store sign-in was turned off', async (tx, { gameUid }) => {
    await queries.clearKeys(tx, gameUid)
    await queries.endEveryToken(tx, gameUid)
  })
}

/** Deletes the keys with the link; imported data stays. */
export async function unlink(deps: Deps, actor: WebsiteUser, ref: string): Promise<void> {
  const gameUid = await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    await requireLink(tx, game.uid)
    await queries.deleteLink(tx, game.uid)
    await queries.endEveryToken(tx, game.uid)
    return game.uid
  })
  record(deps, actor, gameUid, 'A listing was unlinked from the external store')
}

/** Before the transaction, because the store can take seconds to respond. */
async function checkKey(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  given: string,
  requireState: (link: queries.LinkRow) => queries.LinkRow,
): Promise<{ appId: number; webApiKey: string }> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const { appId } = requireState(await requireLink(deps.db, game.uid))
  const webApiKey = parseWebApiKey(given)
  await requireCoveringKey(deps, webApiKey, appId)
  return { appId, webApiKey }
}

async function change(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  what: string,
  write: (tx: Transaction, link: queries.LinkRow) => Promise<void>,
): Promise<Settings> {
  const { gameUid, settings } = await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    await write(tx, await requireLink(tx, game.uid))
    return { gameUid: game.uid, settings: await loadSettings(tx, deps, game.uid) }
  })
  record(deps, actor, gameUid, what)
  return settings
}

function requireEnabled(link: queries.LinkRow): queries.LinkRow {
  if (link.authKey === null) throw new AppError('sign_in_off')
  return link
}

/** The key was checked for this app, but the listing may be linked to another by now. */
function requireApp(link: queries.LinkRow, appId: number): queries.LinkRow {
  if (link.appId !== appId) throw new AppError('store_app_linked')
  return link
}

function record(deps: Deps, actor: WebsiteUser, gameUid: string, what: string): void {
  deps.log.info(what, { user_uid: actor.userUid, game_uid: gameUid })
}
