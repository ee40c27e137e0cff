import type { StoreApp } from '../../../clients/ext-store/ext-store.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { requireConfirmed } from '../../../domain/confirmation.ts'
import { AppError } from '../../../errors.ts'
import { type GameRow, lockGame, openGame } from '../../games/service.ts'
import { startListing } from '../../listings/page/service.ts'
import {
  enableSignIn,
  linkApp,
  markSynced,
  readSavedWebApiKey,
  readSettings,
  readWebApiKey,
  requireLink,
} from '../link/service.ts'
import { applyPlan } from './apply.ts'
import type { ImportCounts } from './count-import.ts'
import { invalid, readAppId, readGroups, readOptionalWebApiKey } from './input.ts'
import type { Group, Imported, ImportInput, Preview, PreviewInput, ResyncInput } from './model.ts'
import { type Plan, planImport } from './plan.ts'
import { listLinks } from './queries.ts'
import { gatherScreenshots, NO_SCREENSHOTS, prepareScreenshots, type Screenshots } from './screenshots.ts'
import { readStorePage, requireKey } from './store-page.ts'

interface Ask {
  appId: number
  webApiKey: string
  groups: ReadonlySet<Group>
}

/** What an import would do. Writes nothing, and does not save the key. */
export async function previewImport(
  deps: Deps,
  user: WebsiteUser,
  input: PreviewInput,
  counts: ImportCounts,
): Promise<Preview> {
  requireDeveloper(user)
  const { ask, target } = await openTarget(deps, user, input)
  await requireKey(deps, ask.webApiKey, ask.appId, counts)
  const app = await readStorePage(deps, ask.appId)
  const screenshots = ask.groups.has('images')
    ? await gatherScreenshots(deps, user.userUid, app)
    : NO_SCREENSHOTS
  const { report } = planFor(app, target, ask, screenshots)
  return { ...report, screenshots: screenshots.usable, target: { game_uid: target?.uid ?? null } }
}

/** Imports into the given listing, or into a new draft. */
export async function importListing(
  deps: Deps,
  user: WebsiteUser,
  input: ImportInput,
  counts: ImportCounts,
): Promise<Imported> {
  requireDeveloper(user)
  const turnsOn = input.enable_auth === true
  if (turnsOn) requireConfirmed(user, deps.config.baseUrl)
  const { ask, target } = await openTarget(deps, user, input)
  const imported = await run(deps, user, ask, target, counts, async (tx, gameUid) => {
    await linkApp(tx, gameUid, ask.appId)
    if (turnsOn) await enableSignIn(tx, deps, gameUid, ask.webApiKey)
  })
  if (turnsOn) record(deps, user, imported, 'External-store sign-in was turned on by an import')
  return imported
}

/** Imports again from the app that the listing is linked to. */
export async function resyncListing(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  input: ResyncInput,
  counts: ImportCounts,
): Promise<Imported> {
  requireDeveloper(user)
  const groups = readGroups(input.groups)
  const given = readOptionalWebApiKey(input.web_api_key)
  const { game } = await openGame(deps.db, user, ref, 'edit')
  const { appId } = await requireLink(deps.db, game.uid)
  const webApiKey = given ?? (await readSavedWebApiKey(deps.db, deps, game.uid))
  if (webApiKey === null) throw invalid('web_api_key', 'must be sent: no key is saved while sign-in is off.')
  return await run(deps, user, { appId, webApiKey, groups }, game, counts, async (tx, gameUid) => {
    // It may have been unlinked, or linked to another app, in the meantime.
    const link = await requireLink(tx, gameUid)
    if (link.appId !== appId) throw new AppError('store_app_linked')
  })
}

function requireDeveloper(user: WebsiteUser): void {
  if (!user.developerMode) throw new AppError('developer_mode_needed')
}

async function openTarget(
  deps: Deps,
  user: WebsiteUser,
  input: PreviewInput,
): Promise<{ ask: Ask; target: GameRow | null }> {
  const ask = {
    appId: readAppId(input.app_id),
    webApiKey: readWebApiKey(input.web_api_key),
    groups: readGroups(input.groups),
  }
  const ref = input.game_uid ?? null
  const target = ref === null ? null : (await openGame(deps.db, user, ref, 'edit')).game
  await refuseOtherLink(deps, ask.appId, target)
  return { ask, target }
}

/** Fails before the store is asked; for concurrent imports the transaction decides. */
async function refuseOtherLink(deps: Deps, appId: number, target: GameRow | null): Promise<void> {
  const links = await listLinks(deps.db, appId, target?.uid ?? null)
  if (links.every((link) => link.appId === appId && link.gameUid === target?.uid)) return
  const isTaken = links.some((link) => link.appId === appId)
  throw new AppError('store_app_linked', {
    message: isTaken
      ? `App ${appId} already has a listing.`
      : 'This listing is linked to another app. Unlink it first.',
  })
}

/** Does everything slow before the transaction, which only writes: a failure leaves nothing behind. */
async function run(
  deps: Deps,
  user: WebsiteUser,
  ask: Ask,
  target: GameRow | null,
  counts: ImportCounts,
  link: (tx: Transaction, gameUid: string) => Promise<void>,
): Promise<Imported> {
  await requireKey(deps, ask.webApiKey, ask.appId, counts)
  const app = await readStorePage(deps, ask.appId)
  const prepared = ask.groups.has('images')
    ? await prepareScreenshots(deps, user.userUid, app)
    : { ...NO_SCREENSHOTS, images: null }
  const imported = await deps.db.transaction(async (tx) => {
    const locked = target && (await lockGame(tx, user, target.uid, 'edit')).game
    const plan = planFor(app, locked, ask, prepared)
    const game = locked ?? (await startDraft(tx, user, plan))
    await link(tx, game.uid)
    await applyPlan(deps, tx, user, game, ask.appId, plan, prepared.images)
    await markSynced(tx, game.uid)
    return {
      game_uid: game.uid,
      vanity_name: game.vanityName,
      created: locked === null,
      report: plan.report,
      settings: await readSettings(tx, deps, game.uid),
    }
  })
  record(deps, user, imported, 'A listing was imported from the external store')
  return imported
}

function record(deps: Deps, user: WebsiteUser, { game_uid, settings }: Imported, what: string): void {
  deps.log.info(what, { user_uid: user.userUid, game_uid, app_id: settings.app_id })
}

function planFor(app: StoreApp, target: GameRow | null, { groups }: Ask, screenshots: Screenshots): Plan {
  const { anonymousDownloads, inputs } = target ?? { anonymousDownloads: false, inputs: [] }
  return planImport(app, { isNew: target === null, anonymousDownloads, inputs }, groups, screenshots)
}

/** The plan of a new listing always has a name: store pages without one are refused. */
async function startDraft(tx: Transaction, user: WebsiteUser, { patch }: Plan): Promise<GameRow> {
  return await startListing(tx, user, { name: patch.name ?? '', asset_type: 'game' })
}
