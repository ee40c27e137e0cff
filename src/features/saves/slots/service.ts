import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Saver } from '../../../domain/actor.ts'
import { parseSlotName } from '../../../domain/saves.ts'
import { AppError } from '../../../errors.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { discardObjects } from '../../storage/service.ts'
import { openRevision, openSaves } from '../access/service.ts'
import { deleteUnused, lockOwnSet, type Owned, type ReadableRevision } from '../shared-queries.ts'
import { requireRevision, requireSlotName, slotNameInvalid } from './fields.ts'
import { type SaveList, SaveRevision, SaveSlot, type WrittenSave } from './model.ts'
import * as queries from './queries.ts'

/** A player through a program: only where they may play. */
export async function listSaves(deps: Deps, saver: Saver, ref: string, isBin: boolean): Promise<SaveList> {
  return await listSavesOf(deps, await openSaves(deps, saver, ref), isBin)
}

/** The saves of a player, whatever became of the game. */
export async function listSavesOf(
  { db, config }: Pick<Deps, 'db' | 'config'>,
  owned: Owned,
  isBin: boolean,
): Promise<SaveList> {
  const [rows, used] = await Promise.all([queries.listSlots(db, owned, isBin), queries.countUsed(db, owned)])
  const slots = rows.map((row) =>
    respond(SaveSlot, row, { deleted_at: row.deletedAt?.toISOString() ?? null }),
  )
  return { slots, quota: { used, limit: config.savesPerGame } }
}

/** What a program reads: only where its player may play. */
export async function readSave(
  deps: Deps,
  saver: Saver,
  ref: string,
  slotText: string,
  revision: string | undefined,
): Promise<ReadableRevision> {
  const slot = parseSlotName(slotText)
  const uid = revision !== undefined && isUid(revision) ? revision : null
  const found = await openRevision(deps, saver, ref, { slot, revision: uid })
  if (slot === null) throw slotNameInvalid()
  if (found === null || (revision !== undefined && uid === null)) throw revisionMissing(revision)
  return found
}

/** A revision with the key of its bytes. */
export async function findSave(
  db: Deps['db'],
  owned: Owned,
  slotText: string,
  revision: string | undefined,
): Promise<queries.StoredRevision> {
  const uid = revision === undefined ? null : requireRevision(revision)
  const found = await queries.findRevision(db, owned, requireSlotName(slotText), uid)
  if (found) return found
  throw revisionMissing(revision)
}

function revisionMissing(revision: string | undefined): AppError {
  return new AppError('not_found', {
    message:
      revision === undefined ? 'There is no save of this name.' : 'There is no such revision of this save.',
  })
}

/** All revisions, newest first; also of a slot in the bin. */
export async function listRevisions(
  db: Deps['db'],
  owned: Owned,
  slotText: string,
  page: Page,
): Promise<Paged<SaveRevision>> {
  const slot = await queries.findSlot(db, owned, requireSlotName(slotText))
  if (!slot) throw slotMissing()
  const current = slot.deletedAt === null ? slot.headUid : null
  return mapPage(await queries.pageRevisions(db, slot.uid, page), (row) =>
    respond(SaveRevision, row, { current: row.revision === current }),
  )
}

/** Makes an earlier revision current again, as a new one; brings a slot back from the bin. */
export async function restoreSave(
  deps: Deps,
  owned: Owned,
  slotText: string,
  revision: string | undefined,
): Promise<WrittenSave> {
  const name = requireSlotName(slotText)
  const wanted = revision === undefined ? null : requireRevision(revision)
  return await changeSlot(deps, owned, name, async (tx, slot) => {
    if (wanted === null && slot.deletedAt === null)
      throw new AppError('invalid_request', { message: 'Name the revision to restore.' })
    const uid = wanted ?? slot.headUid
    const found = uid === null ? undefined : await queries.findRevision(tx, owned, name, uid)
    if (!found) throw slotMissing()
    const { size, sha256, contentUid, device, note, playMinutes } = found
    if (found.revision === slot.headUid) {
      await queries.setCurrent(tx, slot.uid, found.revision)
      return { revision: found.revision, size, sha256 }
    }
    const values = { uid: createUid(), slotUid: slot.uid, contentUid, device, note, playMinutes }
    await queries.insertRevision(tx, values)
    await queries.setCurrent(tx, slot.uid, values.uid)
    return { revision: values.uid, size, sha256 }
  })
}

/** Puts a slot into the bin. `match` is the revision that the caller knows, null if any will do. */
export async function binSave(
  deps: Deps,
  owned: Owned,
  slotText: string,
  match: string | null,
): Promise<void> {
  await changeSlot(deps, owned, requireSlotName(slotText), async (tx, slot) => {
    if (slot.headUid === null || slot.deletedAt !== null) throw slotMissing()
    if (match !== null && match !== slot.headUid) {
      throw new AppError('save_conflict', {
        message: 'This save was changed meanwhile, so it was not deleted.',
        data: { theirs: slot.headUid, yours_kept_as: null },
      })
    }
    await queries.binSlot(tx, slot.uid)
  })
}

/** Deletes a slot in the bin for good, with all its revisions. */
export async function purgeSlot(deps: Deps, owned: Owned, slotText: string): Promise<void> {
  await changeSlot(deps, owned, requireSlotName(slotText), async (tx, slot, setUid) => {
    if (slot.headUid !== null && slot.deletedAt === null) {
      throw new AppError('taken', { message: 'This save is not in the bin. Delete it first.' })
    }
    await queries.deleteSlot(tx, slot.uid)
    await discardUnused(tx, setUid)
  })
}

/** Deletes one revision for good; never the current one. */
export async function purgeRevision(
  deps: Deps,
  owned: Owned,
  slotText: string,
  revision: string,
): Promise<void> {
  const name = requireSlotName(slotText)
  const uid = requireRevision(revision)
  await changeSlot(deps, owned, name, async (tx, slot, setUid) => {
    if (!(await queries.findRevision(tx, owned, name, uid))) throw slotMissing()
    if (slot.headUid === uid) {
      throw new AppError('taken', {
        message: 'This is the current revision. Delete the save, then delete it from the bin.',
      })
    }
    await queries.deleteRevision(tx, uid)
    await discardUnused(tx, setUid)
  })
}

/** Under the lock of the set. */
async function changeSlot<Result>(
  { db }: Deps,
  owned: Owned,
  name: string,
  change: (tx: Transaction, slot: queries.FoundSlot, setUid: string) => Promise<Result>,
): Promise<Result> {
  return await db.transaction(async (tx) => {
    const setUid = await lockOwnSet(tx, owned)
    const slot = setUid === undefined ? undefined : await queries.findSlot(tx, owned, name)
    if (setUid === undefined || !slot) throw slotMissing()
    return await change(tx, slot, setUid)
  })
}

async function discardUnused(tx: Transaction, setUid: string): Promise<void> {
  await discardObjects(tx, { keys: await deleteUnused(tx, setUid) })
}

function slotMissing(): AppError {
  return new AppError('not_found', { message: 'There is no such save.' })
}
