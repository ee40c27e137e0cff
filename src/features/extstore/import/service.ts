import type { StoreApp } from '../../../clients/extstore/client.ts'
import { countRequest } from '../../../clients/rate-store/count-request.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { requireConfirmed } from '../../../domain/confirmation.ts'
import type { LimitName } from '../../../domain/limit-table.ts'
import type { PressKitValue } from '../../../domain/listings/press-kit.ts'
import { AppError, invalidField, invalidFields, issueAt } from '../../../errors.ts'
import { NAME_MAX, showName } from '../../../lib/text/names.ts'
import { show } from '../../../lib/text/show.ts'
import { type GameRow, lockGame, markEdited, openGame } from '../../games/service.ts'
import { changePage } from '../../listings/check/service.ts'
import { type NewImages, replaceImages } from '../../listings/images/service.ts'
import { recordEdit } from '../../listings/page/notices.ts'
import { patchListing, startListing } from '../../listings/page/service.ts'
import { changePressKit } from '../../listings/press/service.ts'
import { linkStorePage } from '../../listings/store-links/service.ts'
import { appIdOfLink } from '../../listings/store-links/stores.ts'
import {
  askExtstore,
  enableSignIn,
  findSavedWebApiKey,
  linkApp,
  loadSettings,
  markSynced,
  parseWebApiKey,
  requireCoveringKey,
  requireLink,
} from '../link/service.ts'
import {
  type Group,
  GROUPS,
  type Imported,
  type ImportInput,
  type Preview,
  type PreviewInput,
  type ResyncInput,
} from './model.ts'
import { mergeTeam, type Plan, planImport } from './plan.ts'
import { listLinks } from './queries.ts'
import { gatherScreenshots, NO_SCREENSHOTS, prepareScreenshots, type Screenshots } from './screenshots.ts'

const APP_ID = /^\d{1,10}$/
const APP_ID_MAX = 2 ** 32 - 1
/** Above the number of groups, because a request may name one more than once. */
const GROUPS_MAX = 50

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
  const app = await loadStorePage(deps, ask.appId)
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
  if (turnsOn) recordImport(deps, user, imported, 'External-store sign-in was turned on by an import')
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
  const groups = parseGroups(input.groups)
  const given = parseOptionalWebApiKey(input.web_api_key)
  const { game } = await openGame(deps.db, user, ref, 'edit')
  const { appId } = await requireLink(deps.db, game.uid)
  const webApiKey = given ?? (await findSavedWebApiKey(deps.db, deps, game.uid))
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
    appId: parseAppId(input.app_id),
    webApiKey: parseWebApiKey(input.web_api_key),
    groups: parseGroups(input.groups),
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
  const app = await loadStorePage(deps, ask.appId)
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
      settings: await loadSettings(tx, deps, game.uid),
    }
  })
  recordImport(deps, user, imported, 'A listing was imported from the external store')
  return imported
}

function recordImport(deps: Deps, user: WebsiteUser, { game_uid, settings }: Imported, what: string): void {
  deps.log.info(what, { user_uid: user.userUid, game_uid, app_id: settings.app_id })
}

function planFor(app: StoreApp, target: GameRow | null, { groups }: Ask, screenshots: Screenshots): Plan {
  const current = target ?? NOTHING_YET
  return planImport(app, { ...current, isNew: target === null }, groups, screenshots)
}

const NOTHING_YET = { anonymousDownloads: false, inputs: [], languages: [], accessibility: [] }

/** The plan of a new listing always has a name: store pages without one are refused. */
async function startDraft(tx: Transaction, user: WebsiteUser, { patch }: Plan): Promise<GameRow> {
  return await startListing(tx, user, { name: patch.name ?? '', asset_type: 'game' })
}

/** All or nothing, on a locked page: an import that makes a public page fail its check is rolled back. */
async function applyPlan(
  deps: Deps,
  tx: Transaction,
  user: WebsiteUser,
  game: GameRow,
  appId: number,
  plan: Plan,
  images: NewImages | null,
): Promise<void> {
  const edited = await changePage(tx, game, async () => {
    const patched = await patchListing(tx, user, game, plan.patch)
    if (images) await replaceImages(deps, tx, game.uid, images)
    if (Object.keys(plan.press).length > 0) {
      await changePressKit(tx, game.uid, (kit) => mergeKit(kit, plan.press))
    }
    if (plan.storeLink !== null) await linkStorePage(tx, game, appId)
    return patched
  })
  await markEdited(tx, game.uid)
  await recordEdit(tx, game, edited)
}

function mergeKit(current: PressKitValue, { team, ...rest }: Partial<PressKitValue>): PressKitValue {
  return { ...current, ...rest, ...(team && { team: mergeTeam(current.team, team) }) }
}

/** Checks first that the key covers the app. Counts the import once the store has responded. */
async function requireKey(deps: Deps, webApiKey: string, appId: number, counts: ImportCounts): Promise<void> {
  await counts.asks()
  try {
    await requireCoveringKey(deps, webApiKey, appId)
  } catch (error) {
    const hasResponded = error instanceof AppError && error.kind === 'store_key_not_covering'
    if (hasResponded) await counts.reached()
    throw error
  }
  await counts.reached()
}

/** The store page of a game; throws for any other kind of app. */
async function loadStorePage(deps: Deps, appId: number): Promise<StoreApp> {
  const app = await askExtstore(() => deps.extStore.readApp(appId))
  if (!app) throw unusable(`The external store has no page for app ${appId}.`)
  if (app.appId !== appId) throw unusable(`App ${appId} is now app ${app.appId}. Import that one.`)
  if (app.type !== 'game') {
    throw unusable(`The external store lists app ${appId} as ${show(app.type)}, not as a game.`)
  }
  if (showName(app.name, NAME_MAX) === '') throw unusable(`The page of app ${appId} has no name.`)
  return app
}

function unusable(message: string): AppError {
  return new AppError('store_app_unusable', { message })
}

/** Accepts digits, a number, or the URL of the store page. */
function parseAppId(given: unknown): number {
  const text = typeof given === 'number' ? String(given) : typeof given === 'string' ? given.trim() : ''
  const appId = APP_ID.test(text) ? Number(text) : appIdOfLink(text)
  if (appId !== null && appId > 0 && appId <= APP_ID_MAX) return appId
  throw invalid(
    'app_id',
    'must be the number of an app at the external store, or the link of its store page.',
  )
}

/** null if none was sent. */
function parseOptionalWebApiKey(given: unknown): string | null {
  return given === undefined || given === null || given === '' ? null : parseWebApiKey(given)
}

/** All groups by default. */
function parseGroups(given: unknown): ReadonlySet<Group> {
  if (given === undefined || given === null) return new Set(GROUPS)
  const known = GROUPS.join(', ')
  const named: unknown[] = Array.isArray(given) ? given : []
  if (named.length === 0) throw invalid('groups', `must be a list of at least one of ${known}.`)
  const groups = named.slice(0, GROUPS_MAX).map((name) => GROUPS.find((group) => group === name) ?? null)
  const issues = groups.flatMap((group, index) =>
    group === null ? [issueAt(`groups.${index}`, `must be one of ${known}.`)] : [],
  )
  if (named.length > GROUPS_MAX) issues.push(issueAt('groups', `must have at most ${GROUPS_MAX} entries.`))
  if (issues.length > 0) throw invalidFields(issues, { kind: 'store_input_invalid' })
  return new Set(groups.filter((group) => group !== null))
}

function invalid(field: string, fault: string): AppError {
  return invalidField(field, fault, { kind: 'store_input_invalid' })
}

/** Counts against the account's limits; each method throws when its limit is exceeded. */
interface ImportCounts {
  /** Before the store is asked, for a well-formed request. */
  asks(): Promise<void>
  /** Once the store has responded. */
  reached(): Promise<void>
}

type HeaderSink = Record<string, string | number>

export function countPreview(deps: Deps, user: WebsiteUser, headers: HeaderSink): ImportCounts {
  return { asks: () => count(deps, user, 'import_preview', headers), reached: async () => undefined }
}

/** Imports and resyncs share the account's limits. */
export function countImport(deps: Deps, user: WebsiteUser, headers: HeaderSink): ImportCounts {
  return {
    asks: () => count(deps, user, 'import_attempt', headers),
    reached: () => count(deps, user, 'import', headers),
  }
}

async function count(
  deps: Deps,
  { userUid }: WebsiteUser,
  row: LimitName,
  headers: HeaderSink,
): Promise<void> {
  await countRequest(deps.rates, [row], () => userUid, headers)
}
