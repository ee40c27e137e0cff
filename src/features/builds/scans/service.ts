import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { DeployKey, WebsiteUser } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { showEngine } from '../../../domain/builds/files.ts'
import { commitUrl, nameBuilder } from '../../../domain/builds/publishers.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import {
  notifyWithNeighbours,
  openGame,
  openPage,
  openPublicGame,
  refuseTakenDown,
} from '../../games/service.ts'
import { listEnvelopes } from '../attestations/service.ts'
import { loadDocument } from '../contents/service.ts'
import { RegisteredBuild } from '../registry/model.ts'
import { requireBuild } from '../service.ts'
import { queueScan } from './jobs.ts'
import { type FilesByChecksum, type PlacedEntries, Provenance, PublicFile } from './model.ts'
import * as queries from './queries.ts'
import { listPublicFiles } from './queries.ts'

/** Selects inner files by a part of the path or by SHA-256; empty selects all. */
export interface EntrySearch {
  q: string
  page: Page
}

type Found = NonNullable<Awaited<ReturnType<typeof queries.findFileWithBuild>>>

/** The origin of files on stable, or registered for it, is public whatever their scan state. */
export async function loadPublicProvenance(
  db: Db,
  gameRef: string,
  fileUid: string,
  search: EntrySearch,
): Promise<Provenance> {
  return await toProvenance(db, await findPublicFile(db, gameRef, fileUid), search)
}

async function findPublicFile(db: Db, gameRef: string, fileUid: string): Promise<Found> {
  const game = await openPublicGame(db, gameRef)
  const found = await findFile(db, game.uid, fileUid)
  const isStable = found.build.channel === STABLE || (await queries.isStableFile(db, fileUid))
  if (!isStable) throw new AppError('not_found')
  return found
}

/** The signed statements about a clean file, for whoever may read its origin. */
export async function listPublicStatements(
  deps: Pick<Deps, 'db' | 'keyring'>,
  gameRef: string,
  fileUid: string,
): Promise<string[]> {
  const { file } = await findPublicFile(deps.db, gameRef, fileUid)
  const envelopes = file.scan === 'clean' ? await listEnvelopes(deps, file.uid) : []
  if (envelopes.length === 0) {
    throw new AppError('not_found', {
      message: 'There is no statement about this file: only files whose scan found nothing have one.',
    })
  }
  return envelopes
}

/** The public files with these bytes, newest first. */
export async function findFilesByChecksum(db: Db, given: string): Promise<FilesByChecksum> {
  const checksum = given.toLowerCase()
  if (!/^[0-9a-f]{64}$/.test(checksum))
    throw invalidField('sha256', 'must be a SHA-256 of 64 hex characters.')
  const rows = await listPublicFiles(db, checksum)
  return {
    files: rows.map(({ file, build, game }) =>
      respond(
        PublicFile,
        { ...build, ...file, ...game },
        { file_uid: file.uid, game_uid: game.uid, build_id: build.uid },
      ),
    ),
  }
}

export async function loadProvenance(
  db: Db,
  user: WebsiteUser,
  gameRef: string,
  fileUid: string,
  search: EntrySearch,
): Promise<Provenance> {
  const { game } = await openGame(db, user, gameRef, 'edit')
  return await toProvenance(db, await findFile(db, game.uid, fileUid, user), search)
}

/** Owner and admins can read it for every file, everyone else only for public files. */
export async function loadProvenanceFor(
  db: Db,
  user: WebsiteUser | null,
  gameRef: string,
  fileUid: string,
  search: EntrySearch,
): Promise<Provenance> {
  const { game, role } = await openPage(db, user, gameRef)
  if (role === null && !game.takenDown) return await loadPublicProvenance(db, game.uid, fileUid, search)
  return await toProvenance(db, await findFile(db, game.uid, fileUid, user ?? {}), search)
}

const BUILD_HISTORY_SHOWN = 200

export interface ScanMoment extends ReturnType<typeof toEvent> {
  filename: string
}

/** Every scan of every file of a build, oldest first. */
export async function listScanHistory(
  db: Db,
  user: WebsiteUser,
  gameRef: string,
  buildId: string,
): Promise<ScanMoment[]> {
  const { game } = await openGame(db, user, gameRef, 'edit')
  const build = await requireBuild(db, game.uid, buildId)
  const rows = await queries.listScanEventsOfBuild(db, build.uid, BUILD_HISTORY_SHOWN)
  return rows.map(({ event, filename }) => ({ ...toEvent(event), filename }))
}

/** Empty until the file is clean. */
export async function listEntriesOfKey(
  db: Db,
  { gameUid }: DeployKey,
  fileUid: string,
  page: Page,
): Promise<PlacedEntries> {
  const { file } = await findFile(db, gameUid, fileUid)
  return await queries.listPlacedEntries(db, file.uid, page)
}

export async function loadContentsOfKey(
  db: Db,
  { gameUid }: DeployKey,
  fileUid: string,
): Promise<Uint8Array> {
  const { file } = await findFile(db, gameUid, fileUid)
  if (file.scan === 'scanning') throw new AppError('still_scanning')
  if (file.scan !== 'clean') throw new AppError('not_found')
  return await loadDocument(db, file)
}

async function findFile(
  db: Db,
  gameUid: string,
  fileUid: string,
  reader: { isOperator?: boolean } = {},
): Promise<Found> {
  const found = isUid(fileUid) ? await queries.findFileWithBuild(db, gameUid, fileUid) : undefined
  if (!found) throw new AppError('not_found')
  refuseTakenDown(found, reader)
  return found
}

async function toProvenance(db: Db, { file, build }: Found, { q, page }: EntrySearch): Promise<Provenance> {
  const [events, entries] = await Promise.all([
    queries.listScanEvents(db, file.uid),
    queries.listEntries(db, file.uid, q, page),
  ])
  return respond(Provenance, file, {
    file_uid: file.uid,
    source: { kind: file.source, key_last4: file.keyLast4, ...toOrigin(file.origin) },
    build: respond(RegisteredBuild, build, { build_id: build.uid }),
    scan: { state: file.scan, engine: showEngine(file.scanEngine), history: events.map(toEvent) },
    entries: entries.items,
    entries_total: entries.total,
    page: page.page,
    page_size: page.page_size,
  })
}

function toEvent({ createdAt, state, engine, detail }: queries.ScanEventRow) {
  return { at: createdAt.toISOString(), state, engine: showEngine(engine), detail }
}

function toOrigin(origin: queries.FileRow['origin']) {
  if (!origin) return {}
  const { repository, commit, ref, workflow, run_url } = origin
  const builder = nameBuilder(origin)
  return { repository, commit, commit_url: commitUrl(origin), ref, workflow, run_url, builder }
}

/** Scans a file again; until the result it cannot be downloaded. A scan that is stuck starts over. */
export async function rescanFile(tx: Transaction, uid: string): Promise<queries.FileRow> {
  const file = isUid(uid) ? await queries.lockFile(tx, uid) : undefined
  if (!file) throw new AppError('not_found')
  if (file.scan !== 'clean' && file.scan !== 'scanning') {
    throw new AppError('taken', {
      message: 'This file was deleted after its last scan; its developer has to upload it again.',
    })
  }
  const isRepeat = file.scan === 'clean'
  if (isRepeat) await queries.reopenScan(tx, uid)
  await queueScan(tx, file, isRepeat)
  await notifyWithNeighbours(tx, file.gameUid)
  return file
}
