import type { Transaction } from '../../../db/client.ts'
import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { lockGame, openGame } from '../../games/service.ts'
import type { AuthKey, Settings } from './model.ts'
import * as queries from './queries.ts'
import {
  createAuthKey,
  createTicketKey,
  enableSignIn,
  openAuthKey,
  readSettings,
  readWebApiKey,
  requireCoveringKey,
  requireLink,
} from './service.ts'

export async function getSettings(deps: Deps, actor: WebsiteUser, ref: string): Promise<Settings> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await readSettings(deps.db, deps, game.uid)
}

export async function getAuthKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<AuthKey> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  const authKey = openAuthKey(deps, requireOn(await requireLink(deps.db, game.uid)))
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
  const { appId, webApiKey } = await checkKey(deps, actor, ref, given, requireOn)
  return await change(deps, actor, ref, 'The Web API key of a game was replaced', async (tx, link) => {
    const { gameUid } = requireApp(requireOn(link), appId)
    const sealed = deps.keyring.encrypt(webApiKey, encryptionContext.webApiKey(gameUid))
    await queries.replaceKey(tx, gameUid, { webApiKey: sealed })
  })
}

/** Tokens signed with the old key no longer verify, and all of them are revoked. */
export async function renewAuthKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<Settings> {
  return await change(deps, actor, ref, 'The auth key of a game was renewed', async (tx, link) => {
    const { gameUid } = requireOn(link)
    await queries.replaceKey(tx, gameUid, createAuthKey(deps, gameUid))
    await queries.endEveryToken(tx, gameUid)
  })
}

export async function renewTicketKey(deps: Deps, actor: WebsiteUser, ref: string): Promise<Settings> {
  return await change(deps, actor, ref, 'The ticket key of a game was renewed', async (tx, link) => {
    await queries.replaceKey(tx, requireOn(link).gameUid, { ticketKey: createTicketKey() })
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
  const gameUid = await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
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
  const webApiKey = readWebApiKey(given)
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
  const { gameUid, settings } = await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    await write(tx, await requireLink(tx, game.uid))
    return { gameUid: game.uid, settings: await readSettings(tx, deps, game.uid) }
  })
  record(deps, actor, gameUid, what)
  return settings
}

function requireOn(link: queries.LinkRow): queries.LinkRow {
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
