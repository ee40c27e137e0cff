import type { Db } from '../../db/client.ts'
import { findInstallationId, insertInstallationId, sampleObjectKeys } from '../../db/installation.ts'
import { parseJson } from '../../lib/json.ts'
import type { ObjectStore } from './object-store.ts'

/** The database and the object store do not belong together. The message says what the operator can do. */
export class InstallationError extends Error {}

interface Services {
  db: Db
  objects: ObjectStore
}

interface Ids {
  databaseId: string | null
  storeId: string | null
}

interface Settled extends Ids {
  databaseId: string
}

const ADVICE =
  'Restore the database that belongs to the store (DATABASE_URL; without it DATA_DIR/postgres), or point STORAGE_URL elsewhere. ' +
  'Nothing was changed. To give the store to this database for good, run `playshelf adopt-storage --confirm`.'

/** Returns the id that database and store share. Writes a missing id if the two clearly belong together. */
export async function ensureInstallation(services: Services): Promise<string> {
  const { db, objects } = services
  let ids = await loadIds(services)
  if (isSettled(ids)) return ids.databaseId
  let fault = await findFault(services, ids)
  if (fault) {
    // Another process starting at the same time may have written the id and its first objects.
    ids = await loadIds(services)
    fault = isSettled(ids) ? null : await findFault(services, ids)
  }
  if (fault) throw new InstallationError(fault)
  const id = await insertInstallationId(db, ids.storeId ?? crypto.randomUUID())
  await objects.writeOwner(id)
  const storeId = await objects.readOwner()
  if (storeId !== id) throw new InstallationError(describeForeign({ databaseId: id, storeId }))
  return id
}

/** Read-only. Returns a message for the operator, or null if `ensureInstallation` would succeed. */
export async function findInstallationFault(services: Services): Promise<string | null> {
  const ids = await loadIds(services)
  return isSettled(ids) ? null : await findFault(services, ids)
}

/** Assigns the store to this database. Its previous installation no longer deletes anything in it. */
export async function adoptStore({ db, objects }: Services): Promise<string> {
  const id = await insertInstallationId(db, crypto.randomUUID())
  await objects.writeOwner(id, { replace: true })
  return id
}

/** Fast enough for every readiness check. Database errors are left to the database check. */
export async function checkOwner({ db, objects }: Services): Promise<void> {
  const storeId = await objects.readOwner()
  const databaseId = await findInstallationId(db).catch(() => storeId)
  if (storeId !== null && storeId !== databaseId) throw new Error(describeForeign({ databaseId, storeId }))
}

/** Reads the store first: its id is written last, so if it has one the database does too. */
async function loadIds({ db, objects }: Services): Promise<Ids> {
  const storeId = await objects.readOwner()
  return { storeId, databaseId: await findInstallationId(db) }
}

function isSettled(ids: Ids): ids is Settled {
  return ids.databaseId !== null && ids.databaseId === ids.storeId
}

async function findFault(services: Services, ids: Ids): Promise<string | null> {
  const { databaseId, storeId } = ids
  if (databaseId !== null && storeId !== null) return describeForeign(ids)
  // An empty store without an id has nothing to lose, whether it is new or its objects were deleted.
  if (storeId === null && (await isEmpty(services.objects))) return null
  if (await holdsOwnObjects(services)) return null
  if (storeId !== null) return describeForeign(ids)
  return `The object store holds objects, but not those that this database names: it belongs to another installation, or the database is not restored yet. ${ADVICE}`
}

function describeForeign({ databaseId, storeId }: Ids): string {
  const owner = `The object store belongs to the installation ${storeId}`
  return databaseId === null
    ? `${owner}, but this database is new, or not restored yet. ${ADVICE}`
    : `${owner}, but this database to ${databaseId}. ${ADVICE}`
}

async function isEmpty(objects: ObjectStore): Promise<boolean> {
  for await (const _ of objects.list('')) return false
  return true
}

/**
 * Keys contain random ids and hashes, so finding half of the sample shows that the store is the right one.
 */
async function holdsOwnObjects({ db, objects }: Services): Promise<boolean> {
  const keys = await sampleObjectKeys(db)
  const found = await Promise.all(keys.map((key) => objects.head(key)))
  const present = found.filter((info) => info !== null).length
  return present > 0 && present * 2 >= keys.length
}

/** Starts with a dot, so it is not a valid key and is never listed, swept or served. */
export const OWNER_NAME = '.installation.json'

export function writeOwnerNote(id: string): Uint8Array {
  return new TextEncoder().encode(`${JSON.stringify({ installation: id })}\n`)
}

/** An unreadable note returns an id that matches no installation, so the comparison fails. */
export function parseOwnerNote(text: string): string {
  try {
    const value = parseJson(text)
    const hasId = typeof value === 'object' && value !== null && 'installation' in value
    return hasId && typeof value.installation === 'string' ? value.installation : 'unreadable'
  } catch {
    return 'unreadable'
  }
}
