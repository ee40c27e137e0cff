import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { Saver } from '../../../domain/actor.ts'
import { ALL_SLOTS_MAX, SAVE_BYTES_MAX, SLOTS_MAX } from '../../../domain/saves.ts'
import { AppError } from '../../../errors.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { createUid } from '../../../lib/ids.ts'
import { type Arrival, extendIdleTimeout } from '../../../lib/net/requests.ts'
import { InlineSha256 } from '../../../lib/sha256/sha256.ts'
import { formatBytes } from '../../../lib/text/show.ts'
import { openIntake, requestMs } from '../../builds/uploads/form.ts'
import { releaseObject } from '../../storage/service.ts'
import { type OpenSaves, openSaves, toMissing } from '../access/service.ts'
import { lockSet } from '../shared-queries.ts'
import { parseWriteFields, requireSlotName, saveTooLarge, type WriteFields } from './fields.ts'
import type { WrittenSave } from './model.ts'
import * as queries from './queries.ts'

/** Bodies of one player that are received at once; further ones are refused before they are read. */
const BODIES_PER_PLAYER = 8
const RETRY_SECONDS = '5'
const DELETABLE_MAX = 50
const receiving = createKeyedSemaphore(BODIES_PER_PLAYER)

/** Bytes that are stored, but belong to no row yet. */
interface StoredBytes {
  objectKey: string
  size: number
  sha256: string
}

/** Stores the body as the new current revision of the slot, or as a refused one if somebody was faster. */
export async function writeSave(
  deps: Deps,
  saver: Saver,
  ref: string,
  slotText: string,
  arrival: Arrival,
): Promise<WrittenSave> {
  const saves = await openSaves(deps, saver, ref)
  const slot = requireSlotName(slotText)
  const fields = parseWriteFields(arrival.request)
  try {
    const bytes = await receive(deps, saves, fields, arrival)
    return await record(deps, saves, { slot, fields, bytes })
  } catch (error) {
    await countFault(deps, saves, fields, error)
    throw error
  }
}

/** Streams the body into the object store. Whatever is wrong with it, nothing of it stays. */
async function receive(
  deps: Deps,
  { userUid }: OpenSaves,
  { length, checksum }: WriteFields,
  arrival: Arrival,
): Promise<StoredBytes> {
  const { objects } = deps
  using held = new DisposableStack()
  held.use(enter(userUid))
  const objectKey = `saves/${createUid()}`
  const hash = new InlineSha256()
  try {
    await extendIdleTimeout(arrival, async () => {
      const { request } = arrival
      const most = length ?? SAVE_BYTES_MAX
      await objects.requireRoom(most)
      using slot = await objects.acquireSlot(userUid, request.signal)
      const source = request.body ?? new Blob([]).stream()
      const intake = openIntake(source, { maxBytes: SAVE_BYTES_MAX, tooLarge: saveTooLarge, hash })
      const signal = AbortSignal.any([request.signal, AbortSignal.timeout(requestMs(most))])
      await objects.put(objectKey, intake.stream, { release: intake.release, owner: userUid, slot, signal })
    })
    if (length !== null && hash.size !== length) throw bodyCut()
    const sha256 = await hash.digest()
    if (checksum !== null && sha256 !== checksum) throw new AppError('checksum_mismatch')
    return { objectKey, size: hash.size, sha256 }
  } catch (error) {
    await releaseObject(deps, objectKey)
    if (arrival.request.signal.aborted || isTimeout(error)) throw bodyCut(error)
    throw error
  }
}

function isTimeout(error: unknown): boolean {
  return error instanceof DOMException && error.name === 'TimeoutError'
}

function bodyCut(cause?: unknown): AppError {
  return new AppError('invalid_request', {
    message: 'The body ended before all of it arrived, so nothing was kept. Send it again.',
    cause,
  })
}

function enter(userUid: string): Disposable {
  const entered = receiving.tryAcquire(userUid)
  if (entered) return entered
  throw new AppError('rate_limited', {
    message: `${BODIES_PER_PLAYER} saves of this account are already being received. Wait until one is done.`,
    headers: { 'retry-after': RETRY_SECONDS },
  })
}

interface Write {
  slot: string
  fields: WriteFields
  bytes: StoredBytes
}

interface Recorded {
  revision: string
  /** The current revision, if it is another one. */
  refusedBy: { revision: string | null } | null
  /** Whether other revisions have the same bytes, so that the new object is not needed. */
  isKnown: boolean
}

/** The object has a key of its own: what is cleaned up at the same time can never be what this refers to. */
async function record(deps: Deps, saves: OpenSaves, write: Write): Promise<WrittenSave> {
  const { size, sha256, objectKey } = write.bytes
  let recorded: Recorded
  try {
    recorded = await deps.db.transaction((tx) => recordIn(deps, tx, saves, write)).catch(toMissing)
  } catch (error) {
    // After another error the row may exist; the hourly job removes the object if it does not.
    if (error instanceof AppError) await releaseObject(deps, objectKey)
    throw error
  }
  const { revision, refusedBy, isKnown } = recorded
  if (isKnown) await releaseObject(deps, objectKey)
  if (refusedBy === null) return { revision, size, sha256 }
  throw new AppError('save_conflict', { data: { theirs: refusedBy.revision, yours_kept_as: revision } })
}

async function recordIn(
  deps: Deps,
  tx: Transaction,
  saves: OpenSaves,
  { slot, fields, bytes }: Write,
): Promise<Recorded> {
  const setUid = await lockSet(tx, saves)
  const facts = await queries.loadWriteFacts(tx, setUid, saves, { slot, sha256: bytes.sha256 })
  const { slotUid, contentUid, playMinutes } = facts
  const isAccepted = fields.base.revision === facts.currentUid
  requireSlotRoom(facts, isAccepted)
  if (contentUid === null) await requireRoom(deps, tx, setUid, facts, bytes.size)
  const { device, note } = fields
  const uid = createUid()
  const revision = {
    uid,
    setUid,
    slotUid: slotUid ?? createUid(),
    contentUid: contentUid ?? createUid(),
    device,
    note,
    playMinutes,
    refused: !isAccepted,
  }
  await queries.insertWrite(tx, revision, {
    newSlot: slotUid === null ? slot : null,
    newContent: contentUid === null ? bytes : null,
  })
  return {
    revision: uid,
    refusedBy: isAccepted ? null : { revision: facts.currentUid },
    isKnown: contentUid !== null,
  }
}

/** A refused write may make a slot without a current revision, so all slots have a bound of their own. */
function requireSlotRoom({ slotUid, currentUid, slots, allSlots }: queries.WriteFacts, isAccepted: boolean) {
  if (isAccepted && currentUid === null && slots >= SLOTS_MAX) {
    throw new AppError('taken', {
      message: `There are ${SLOTS_MAX} saves of this game. Delete one, then write the next.`,
    })
  }
  if (slotUid !== null || allSlots < ALL_SLOTS_MAX) return
  throw new AppError('taken', {
    message: `There are ${ALL_SLOTS_MAX} saves of this game with those in the bin. Delete some of these for good first.`,
  })
}

async function requireRoom(
  { config }: Deps,
  tx: Transaction,
  setUid: string,
  { used, accountUsed, accountLimit }: queries.WriteFacts,
  size: number,
): Promise<void> {
  const ofSet = { used, limit: config.savesPerGame }
  const ofAccount = { used: accountUsed, limit: accountLimit ?? config.accountStorage }
  const over = [ofSet, ofAccount].find((use) => use.used + size > use.limit)
  if (!over) return
  const deletable = await queries.listDeletable(tx, setUid, DELETABLE_MAX)
  const whose = over === ofSet ? 'for saves of this game' : 'of this account'
  throw new AppError('storage_used_up', {
    message: `This save does not fit: ${formatBytes(over.used)} of the ${formatBytes(over.limit)} ${whose} are used. Delete old saves in your library.`,
    data: { ...over, deletable },
  })
}

/** A race counts as a conflict, everything else that was sent but not kept as a failure. */
async function countFault(
  { db, log }: Deps,
  { gameUid }: OpenSaves,
  { buildUid }: WriteFields,
  error: unknown,
): Promise<void> {
  const kind = error instanceof AppError && error.kind === 'save_conflict' ? 'conflicts' : 'failures'
  await queries.countFault(db, gameUid, buildUid, kind).catch((fault: unknown) => {
    log.warn('A write of a save that failed could not be counted', { error: fault })
  })
}
