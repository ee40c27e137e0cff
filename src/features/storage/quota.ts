import type { Db, Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { AppError } from '../../errors.ts'
import { formatBytes } from '../../lib/text/show.ts'
import * as queries from './queries.ts'

/** Bytes that an account and its listings store, and may store. */
export interface StorageUse {
  used: number
  limit: number
}

interface WantedRoom {
  bytes: number
  /** How long the upload may take; the reservation expires after that. */
  ms: number
}

type Services = Pick<Deps, 'config' | 'db' | 'objects' | 'log'>

export async function loadStorageUse(
  { config, db }: Pick<Deps, 'config' | 'db'>,
  ownerUid: string,
): Promise<StorageUse> {
  const { used, limit } = await queries.loadUse(db, ownerUid)
  return { used, limit: limit ?? config.accountStorage }
}

/** The storage use of the account that owns the game. */
export async function loadStorageOfGame(
  deps: Pick<Deps, 'config' | 'db'>,
  gameUid: string,
): Promise<StorageUse> {
  const ownerUid = await queries.findOwner(deps.db, gameUid)
  if (ownerUid === undefined) throw new AppError('not_found')
  return await loadStorageUse(deps, ownerUid)
}

/** Reserves space until disposed. Throws 4131 if the owner has too little left, 5071 if the disk has. */
export async function reserveStorage(
  { config, db, objects, log }: Services,
  gameUid: string,
  { bytes, ms }: WantedRoom,
): Promise<AsyncDisposable> {
  await objects.requireRoom(bytes)
  const uid = await db.transaction(async (tx) => {
    const { ownerUid, ...use } = await lockUse(tx, config.accountStorage, gameUid)
    refuseBeyond(use, bytes)
    return await queries.insertReservation(tx, { ownerUid, bytes, expiresAt: new Date(Date.now() + ms) })
  })
  return {
    async [Symbol.asyncDispose]() {
      await queries.deleteReservation(db, uid).catch((error: unknown) => {
        log.warn('A reservation of storage could not be deleted; it expires by itself', { error })
      })
    },
  }
}

/** Checks the limit without a reservation, in the transaction that inserts a row which counts as used. */
export async function requireStorage(
  tx: Transaction,
  { accountStorage }: Deps['config'],
  gameUid: string,
  bytes: number,
): Promise<void> {
  refuseBeyond(await lockUse(tx, accountStorage, gameUid), bytes)
}

function storageUsedUp({ used, limit }: StorageUse): AppError {
  return new AppError('storage_used_up', {
    message: `This file does not fit: ${formatBytes(used)} of the ${formatBytes(limit)} of this account are used. Delete builds you no longer need, or ask an operator for more.`,
    data: { used, limit },
  })
}

/** Deletes the reservations of processes that ended without doing so. */
export async function endExpiredReservations(db: Db, now: Date): Promise<void> {
  await queries.deleteExpiredReservations(db, now)
}

/** Uploads of one account are admitted one after the other, so that they cannot pass the limit together. */
async function lockUse(tx: Transaction, standard: number, gameUid: string) {
  const ownerUid = await queries.findOwner(tx, gameUid)
  if (ownerUid === undefined) throw new AppError('not_found')
  await queries.lockStorage(tx, ownerUid)
  const { used, limit } = await queries.loadUse(tx, ownerUid)
  return { ownerUid, used, limit: limit ?? standard }
}

function refuseBeyond({ used, limit }: StorageUse, bytes: number): void {
  if (used + bytes > limit) throw storageUsedUp({ used, limit })
}
