import { isForeignKeyViolation } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import type { Saver, WebsiteUser } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { entitlement, type EntitlementFacts, refusalError } from '../../../domain/listings/entitlement.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { openOwned } from '../../community/library/service.ts'
import { openPage } from '../../games/service.ts'
import { lockSet, type Owned, type ReadableRevision, type WantedRevision } from '../shared-queries.ts'
import type { SaveChoice, SaveToken, WebUse } from './model.ts'
import * as queries from './queries.ts'
import { signVisit } from './visits.ts'

type Services = Pick<Deps, 'db' | 'config'>

/** A game whose saves a player may use. */
export interface OpenSaves {
  userUid: string
  gameUid: string
  name: string
}

/** Throws unless this player may play the game and it keeps saves. */
export async function openSaves(deps: Services, saver: Saver, ref: string): Promise<OpenSaves> {
  const { userUid } = saver
  const { gameUid, name } = requireAccess(deps, saver, await queries.findSaveFacts(deps.db, ref, userUid))
  return { userUid, gameUid, name }
}

/** The same with the revision that is to be read, in one statement; null if there is none. */
export async function openRevision(
  deps: Services,
  saver: Saver,
  ref: string,
  wanted: WantedRevision,
): Promise<ReadableRevision | null> {
  const row = await queries.findReadable(deps.db, ref, saver.userUid, wanted)
  requireAccess(deps, saver, row?.facts)
  return row?.found ?? null
}

function requireAccess(
  deps: Services,
  { via, gameUid }: Saver,
  facts: queries.SaveFacts | undefined,
): queries.SaveFacts {
  if (gameUid !== null && gameUid !== facts?.gameUid) {
    throw new AppError('unauthorized', { message: 'This token is of another game. Open that game again.' })
  }
  if (!facts) throw new AppError('not_found')
  if (via === 'store') requireStorePlayer(facts)
  else requirePlayable(deps, facts)
  if (via === 'visit' && facts.webAllowed !== true) throw notAllowed()
  requireEnabled(facts)
  return facts
}

/** The external store has confirmed that the player owns the game. */
function requireStorePlayer({ isBlocked, person }: queries.SaveFacts): void {
  if (!person) throw new AppError('unauthorized')
  if (isBlocked) throw new AppError('not_found')
}

function requirePlayable({ config }: Services, game: queries.SaveFacts): void {
  if (!game.person) throw new AppError('unauthorized')
  const freeFor = game.priceCents === 0 && game.isOpen ? 'accounts' : 'nobody'
  const facts: EntitlementFacts = { ...game, freeFor }
  const refusal = entitlement(facts, STABLE)
  if (refusal !== null) throw refusalError(refusal, game, facts, { verb: 'play', ...config })
}

function requireEnabled({ isEnabled, name }: queries.SaveFacts): void {
  if (isEnabled) return
  throw new AppError('forbidden', {
    message: `${name} keeps no saves here. Those that you have stay in your library, where you can download them.`,
  })
}

function notAllowed(): AppError {
  return new AppError('forbidden', {
    message: 'The player has not allowed this game to keep its saves in their account.',
  })
}

/** What the play page needs to know: whether to ask, and whether to hand the game a token. */
export async function loadChoice(deps: Services, user: WebsiteUser, ref: string): Promise<SaveChoice> {
  const facts = await requireVisible(deps, user, ref)
  return toChoice(facts, user, facts.webAllowed)
}

function toChoice(facts: queries.SaveFacts, user: WebsiteUser, allowed: boolean | null): SaveChoice {
  return { account: nameAccount({ ...facts, ...user }), enabled: facts.isEnabled, allowed }
}

/** Games get no number of the account, by which they could recognise the player in other games. */
export function nameAccount({ userUid, gameUid }: Owned): string {
  return sha256Hex(`${userUid} ${gameUid}`).slice(0, 32)
}

/** Remembers whether the game may keep its saves in the account when it is played in the browser. */
export async function saveChoice(
  deps: Services,
  user: WebsiteUser,
  ref: string,
  allowed: boolean | null,
): Promise<SaveChoice> {
  const facts = await requireVisible(deps, user, ref)
  if (allowed) {
    requirePlayable(deps, facts)
    requireEnabled(facts)
  }
  await storeChoice(deps, { ...facts, userUid: user.userUid }, allowed)
  return toChoice(facts, user, allowed)
}

/** Takes a permission back, or has the game ask again, whatever became of the game. */
export async function withdrawChoice(
  deps: Services,
  saves: Owned & { name: string },
  allowed: false | null,
): Promise<void> {
  await storeChoice(deps, saves, allowed)
}

async function storeChoice(
  { db }: Services,
  saves: Owned & { name: string },
  allowed: boolean | null,
): Promise<void> {
  await db
    .transaction(async (tx) => queries.saveWebAllowed(tx, await lockSet(tx, saves), allowed))
    .catch(toMissing)
}

export async function loadWebUse({ db }: Services, owned: Owned): Promise<WebUse> {
  return await queries.findWebUse(db, owned)
}

/** For the frame of the game: a token for its saves alone. */
export async function issueToken(
  deps: Services & Pick<Deps, 'keyring'>,
  user: WebsiteUser,
  ref: string,
): Promise<SaveToken> {
  const { userUid } = user
  const { gameUid } = await requireVisible(deps, user, ref)
  await openSaves(deps, { kind: 'saver', via: 'visit', userUid, gameUid }, gameUid)
  const { token, expiresAt } = signVisit(deps.keyring, { userUid, gameUid })
  return { account: nameAccount({ userUid, gameUid }), token, expires_at: expiresAt.toISOString() }
}

/** Hidden games are not found, also by people who work on them without seeing the page. */
async function requireVisible({ db }: Services, user: WebsiteUser, ref: string): Promise<queries.SaveFacts> {
  const { game } = await openOwned(db, user, ref, () => openPage(db, user, ref))
  const facts = await queries.findSaveFacts(db, game.uid, user.userUid)
  if (!facts) throw new AppError('not_found')
  return facts
}

/** The account was deleted in the meantime. */
export function toMissing(error: unknown): never {
  throw isForeignKeyViolation(error) ? new AppError('not_found', { cause: error }) : error
}
