import { countInRow } from '../../../clients/rate-store/count-request.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import type { LibraryItem } from '../../community/library/model.ts'
import { giveRedeemedLicense, loadLibraryItem, lockHolding } from '../../community/library/service.ts'
import { changeGame, openGame } from '../../games/service.ts'
import { type EditionRow, findEditionOf } from '../../listings/pricing/service.ts'
import { closeOrderIfOwned, ownsEdition } from '../orders/service.ts'
import {
  KeyBatch,
  KEYS_PER_BATCH_MAX,
  type KeysInput,
  type NewKeys,
  OPEN_KEYS_MAX,
  type Redemption,
  REDEMPTIONS_SHOWN,
  UNUSED_BATCHES_MAX,
} from './model.ts'
import * as queries from './queries.ts'

/** Crockford's base 32: without I, L, O and U. */
const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
/** Five random bits each. */
export const CODE_LENGTH = 20
const CODE = new RegExp(`^[${ALPHABET}]{${CODE_LENGTH}}$`)

/** Only this response contains the codes; the store keeps hashes of them. */
export async function createKeys(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  input: KeysInput,
): Promise<NewKeys> {
  await countInRow(deps.rates, 'license_keys', user.userUid, input.count)
  const codes = Array.from({ length: input.count }, createCode)
  return await changeGame(deps.db, user, ref, 'edit', async (tx, game) => {
    const edition = await findEdition(tx, game.uid, input.edition_uid)
    const now = new Date()
    const expiresAt = parseExpiry(input.expires_at, now)
    await queries.deleteExpiredKeys(tx, game.uid, now)
    await checkRoom(tx, game.uid, input.count)
    const batch = await queries.insertBatch(
      tx,
      {
        gameUid: game.uid,
        label: input.label.trim(),
        editionUid: edition?.uid ?? null,
        editionName: edition?.name ?? null,
        count: input.count,
        createdBy: user.userUid,
        expiresAt,
      },
      codes.flatMap((code) => hashCode(code) ?? []),
    )
    const listed = { batch, createdBy: user.username, redeemed: 0, left: input.count }
    return { ...toBatch(listed), codes }
  })
}

export async function listKeyBatches(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<KeyBatch>> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  const batches = await queries.listBatches(deps.db, game.uid, page)
  const uids = batches.items.map(({ batch }) => batch.uid)
  const redemptions = Map.groupBy(
    await queries.listRedemptions(deps.db, uids, REDEMPTIONS_SHOWN),
    ({ batchUid }) => batchUid,
  )
  return mapPage(batches, (row) => toBatch(row, redemptions.get(row.batch.uid)))
}

/** Everybody who redeemed a key of the batch, newest first. */
export async function listRedemptions(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  batchUid: string,
): Promise<Redemption[]> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  const { uid } = await requireBatch(deps.db, game.uid, batchUid)
  return (await queries.listRedemptions(deps.db, [uid], KEYS_PER_BATCH_MAX)).map(toRedemption)
}

/** Players keep what they redeemed. */
export async function deleteKeyBatch(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  batchUid: string,
): Promise<void> {
  await changeGame(deps.db, user, ref, 'edit', async (tx, game) => {
    const { uid } = await requireBatch(tx, game.uid, batchUid)
    await queries.endBatch(tx, uid, new Date())
  })
}

async function requireBatch(db: Db, gameUid: string, uid: string): Promise<queries.BatchRow> {
  const batch = isUid(uid) ? await queries.findBatch(db, gameUid, uid) : undefined
  if (!batch) throw new AppError('not_found')
  return batch
}

async function findEdition(db: Db, gameUid: string, uid: string | undefined): Promise<EditionRow | null> {
  const edition = uid === undefined ? null : await findEditionOf(db, gameUid, uid)
  if (edition === undefined) throw invalidField('edition_uid', 'must be an edition of this listing.')
  return edition
}

function parseExpiry(sent: string | undefined, now: Date): Date | null {
  if (sent === undefined) return null
  const expiresAt = new Date(sent)
  // The negation also refuses invalid dates that pass the schema, such as a leap second.
  if (!(expiresAt > now)) throw invalidField('expires_at', 'must be in the future.')
  return expiresAt
}

/** Call with the listing locked, so that concurrent requests cannot exceed the limits together. */
async function checkRoom(tx: Transaction, gameUid: string, count: number): Promise<void> {
  const room = OPEN_KEYS_MAX - (await queries.countUnredeemed(tx, gameUid))
  if (count > room)
    throw invalidField(
      'count',
      `must be ${room} or less: a game has at most ${OPEN_KEYS_MAX} keys that nobody redeemed. Delete a batch to make room.`,
    )
  if ((await queries.countUnusedBatches(tx, gameUid)) >= UNUSED_BATCHES_MAX)
    throw invalidField(
      'count',
      `cannot be made: there are ${UNUSED_BATCHES_MAX} batches that nobody redeemed a key of. Delete one first.`,
    )
}

function toBatch(
  { batch, createdBy, redeemed, left }: queries.ListedBatch,
  redemptions: readonly queries.RedemptionRow[] = [],
): KeyBatch {
  const { editionUid, editionName, expiresAt } = batch
  const isExpired = expiresAt !== null && expiresAt <= new Date()
  return respond(KeyBatch, batch, {
    edition: editionUid === null ? null : { uid: editionUid, name: editionName ?? '' },
    open: isExpired ? 0 : left,
    redeemed,
    created_by: createdBy,
    redemptions: redemptions.map(toRedemption),
  })
}

function toRedemption({ username, redeemedAt }: queries.RedemptionRow): Redemption {
  return { username, redeemed_at: (redeemedAt ?? new Date(0)).toISOString() }
}

/** Listings of any visibility can be redeemed. All invalid codes get the same answer. */
export async function redeemKey(deps: Deps, user: WebsiteUser, typed: string): Promise<LibraryItem> {
  const hash = hashCode(typed)
  if (hash === null) throw new AppError('code_invalid')
  const gameUid = await deps.db.transaction((tx) => redeem(deps, tx, user, hash))
  return await loadLibraryItem(deps, user, gameUid)
}

/** An error rolls the transaction back, so the code stays valid. */
async function redeem(deps: Deps, tx: Transaction, user: WebsiteUser, hash: string): Promise<string> {
  const { userUid } = user
  const key = await queries.findOpenKey(tx, hash, userUid, new Date())
  if (!key || key.game.takenDown) throw new AppError('code_invalid')
  const { game, editionUid, isOnTeam } = key
  if (isOnTeam) throw owned(`You work on ${game.name}: you have it without a key.`)
  await lockHolding(tx, userUid, game.uid)
  if (await ownsEdition(tx, userUid, game.uid, editionUid)) throw owned(inLibrary(game.name))
  if (game.adult && !user.adultContent)
    throw new AppError('forbidden', {
      message: `Turn on adult content in your account to redeem this code for ${game.name}.`,
    })
  const redemption = { userUid, gameUid: game.uid, gameName: game.name, editionUid }
  if (!(await giveRedeemedLicense(tx, redemption))) throw owned(inLibrary(game.name))
  if (!(await queries.claimKey(tx, hash, userUid))) throw new AppError('code_invalid')
  if (deps.payments) await closeOrderIfOwned(tx, userUid, game.uid)
  return game.uid
}

function inLibrary(name: string): string {
  return `${name} is in your library already.`
}

function owned(message: string): AppError {
  return new AppError('already_owned', {
    message: `${message} The code was not used: give it to somebody else.`,
  })
}

/** `XXXXX-XXXXX-XXXXX-XXXXX` */
function createCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(CODE_LENGTH))
  const letters = Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join('')
  return (letters.match(/.{5}/g) ?? []).join('-')
}

/** The stored hash of a typed code; null if it cannot be a code. */
function hashCode(typed: string): string | null {
  const code = lettersOf(typed).toUpperCase().replaceAll('O', '0').replaceAll(/[IL]/g, '1')
  return CODE.test(code) ? sha256Hex(code) : null
}

/** The code without spaces and dashes. */
export function lettersOf(typed: string): string {
  return typed.replaceAll(/[\s\p{Pd}]/gu, '')
}
