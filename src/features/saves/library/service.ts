import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { writeZip, type ZipEntry } from '../../../lib/bytes/zip-writer.ts'
import { openOwned } from '../../community/library/service.ts'
import { maySeePage, openPage } from '../../games/service.ts'
import { discardObjects } from '../../storage/service.ts'
import { deleteUnused, lockOwnSet, type Owned } from '../shared-queries.ts'
import * as queries from './queries.ts'

/** A game whose saves a person looks at in their library. */
export interface KeptSaves extends Owned {
  name: string
  /** For addresses: the name of the game, its uid while its page is hidden or gone. */
  ref: string
  /** Whether its page can be opened. */
  isOpen: boolean
  /** Whether the game keeps saves now. */
  isEnabled: boolean
}

type KeptRow = NonNullable<Awaited<ReturnType<typeof queries.findKept>>>

/** Saves stay with the player, whatever became of the game and of their licence. */
export async function openKept({ db }: Pick<Deps, 'db'>, user: WebsiteUser, ref: string): Promise<KeptSaves> {
  const { userUid } = user
  const kept = await queries.findKept(db, userUid, ref)
  if (kept) return toKept(userUid, kept)
  const { game } = await openOwned(db, user, ref, () => openPage(db, user, ref))
  const { uid: gameUid, savesEnabled: isEnabled, ...row } = game
  return toKept(userUid, { ...row, gameUid, isEnabled })
}

function toKept(userUid: string, row: KeptRow): KeptSaves {
  const { gameUid, name, vanityName, visibility, isEnabled } = row
  const isOpen = visibility !== null && maySeePage(visibility, null)
  const ref = isOpen && vanityName !== null ? vanityName : gameUid
  return { userUid, gameUid, name, ref, isOpen, isEnabled: isEnabled ?? false }
}

/** Of one account in all games. */
export interface SavesSummary {
  games: number
  bytes: number
  /** Those with most bytes. */
  largest: { name: string; ref: string; bytes: number }[]
}

const LARGEST = 50

export async function summarizeSaves({ db }: Pick<Deps, 'db'>, userUid: string): Promise<SavesSummary> {
  const [rows, all] = await Promise.all([
    queries.listKept(db, userUid, LARGEST),
    queries.countKept(db, userUid),
  ])
  const largest = rows.map(({ bytes, ...row }) => ({ name: row.name, ref: toKept(userUid, row).ref, bytes }))
  return { ...all, largest }
}

/** Which of the games the person has saves of. */
export async function listGamesWithSaves(
  db: Deps['db'],
  userUid: string,
  gameUids: readonly string[],
): Promise<ReadonlySet<string>> {
  return new Set(await queries.listWithSaves(db, userUid, gameUids))
}

/** All saves of a game with their histories, for good. */
export async function deleteSavesOf({ db }: Pick<Deps, 'db'>, owned: Owned): Promise<void> {
  await db.transaction(async (tx) => {
    const setUid = await lockOwnSet(tx, owned)
    if (setUid !== undefined) await empty(tx, setUid)
  })
}

/** The same for all games. */
export async function deleteAllSaves({ db }: Pick<Deps, 'db'>, userUid: string): Promise<void> {
  for (let isOver = false; !isOver;) {
    isOver = await db.transaction(async (tx) => {
      const setUid = await queries.lockNextSet(tx, userUid)
      if (setUid !== undefined) await empty(tx, setUid)
      return setUid === undefined
    })
  }
}

async function empty(tx: Transaction, setUid: string): Promise<void> {
  await queries.deleteSlots(tx, setUid)
  await discardObjects(tx, { keys: await deleteUnused(tx, setUid) })
}

/** Zips with more need an extension of the format that not every program reads. */
const ARCHIVE_MAX = 4_000_000_000

/** The current saves of a game as a zip, which is read from the store while it is sent. */
export async function openArchive(
  { db, objects }: Pick<Deps, 'db' | 'objects'>,
  { userUid, gameUid }: Owned,
): Promise<ReadableStream<Uint8Array>> {
  const saves = await queries.listArchived(db, userUid, gameUid)
  if (saves.length === 0) throw new AppError('not_found', { message: 'There are no saves to download.' })
  if (saves.reduce((sum, { size }) => sum + size, 0) > ARCHIVE_MAX) {
    throw new AppError('too_large', {
      message: 'These saves are too large for one zip. Download them one by one.',
    })
  }
  async function* readEntries(): AsyncGenerator<ZipEntry> {
    for (const { slot, objectKey, at } of saves) {
      yield { name: slot, modifiedAt: at, body: (await objects.get(objectKey)).stream }
    }
  }
  const pieces = writeZip(readEntries())
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await pieces.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => void (await pieces.return(undefined)),
    },
    { highWaterMark: 0 },
  )
}
