import { countInRow } from '../../../clients/rate-store/count-request.ts'
import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { lockGame, openGame } from '../../games/service.ts'
import { type EditionRow, findEditionOf } from '../../listings/pricing/service.ts'
import { createCode, hashCode } from './codes.ts'
import {
  type KeyBatch,
  KEYS_PER_BATCH_MAX,
  type KeysInput,
  type NewKeys,
  OPEN_KEYS_MAX,
  type Redemption,
  REDEMPTIONS_SHOWN,
  UNUSED_BATCHES_MAX,
} from './model.ts'
import * as queries from './queries.ts'

/** The codes are in the answer and nowhere else. */
export async function createKeys(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  input: KeysInput,
): Promise<NewKeys> {
  await countInRow(deps.rates, 'license_keys', user.userUid, input.count)
  const codes = Array.from({ length: input.count }, createCode)
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, user, ref, 'edit')
    const edition = await findEdition(tx, game.uid, input.edition_uid)
    const now = new Date()
    const expiresAt = readExpiry(input.expires_at, now)
    await queries.deleteExpiredKeys(tx, game.uid, now)
    await requireRoom(tx, game.uid, input.count)
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
    return { ...toBatch(listed, []), codes }
  })
}

export async function listKeyBatches(
  deps: Deps,
  user: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<KeyBatch>> {
  const { game } = await openGame(deps.db, user, ref, 'edit')
  const [rows, total] = await Promise.all([
    queries.listBatches(deps.db, game.uid, page),
    queries.countBatches(deps.db, game.uid),
  ])
  const uids = rows.map(({ batch }) => batch.uid)
  const redemptions = Map.groupBy(
    await queries.listRedemptions(deps.db, uids, REDEMPTIONS_SHOWN),
    ({ batchUid }) => batchUid,
  )
  return paged(
    page,
    rows.map((row) => toBatch(row, redemptions.get(row.batch.uid) ?? [])),
    total,
  )
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
  await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, user, ref, 'edit')
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
  if (uid === undefined) return null
  const edition = await findEditionOf(db, gameUid, uid)
  if (!edition) throw invalidField('edition_uid', 'must be an edition of this listing.')
  return edition
}

function readExpiry(sent: string | undefined, now: Date): Date | null {
  if (sent === undefined) return null
  const expiresAt = new Date(sent)
  // Also refuses what passes as a date but is none, such as a leap second.
  if (!(expiresAt > now)) throw invalidField('expires_at', 'must be in the future.')
  return expiresAt
}

/** Needs the locked listing, so that no other request fills the room meanwhile. */
async function requireRoom(tx: Transaction, gameUid: string, count: number): Promise<void> {
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

type RedemptionRow = Awaited<ReturnType<typeof queries.listRedemptions>>[number]

function toBatch(
  { batch, createdBy, redeemed, left }: queries.ListedBatch,
  redemptions: readonly RedemptionRow[],
): KeyBatch {
  const { editionUid, editionName, expiresAt } = batch
  const isOver = expiresAt !== null && expiresAt <= new Date()
  return {
    uid: batch.uid,
    label: batch.label,
    edition: editionUid === null ? null : { uid: editionUid, name: editionName ?? '' },
    count: batch.count,
    open: isOver ? 0 : left,
    redeemed,
    created_at: batch.createdAt.toISOString(),
    created_by: createdBy,
    expires_at: expiresAt?.toISOString() ?? null,
    ended_at: batch.endedAt?.toISOString() ?? null,
    redemptions: redemptions.map(toRedemption),
  }
}

function toRedemption({ username, redeemedAt }: RedemptionRow): Redemption {
  return { username, redeemed_at: (redeemedAt ?? new Date(0)).toISOString() }
}
