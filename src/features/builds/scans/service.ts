import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { DeployKey, WebsiteUser } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { showEngine } from '../../../domain/builds/files.ts'
import { commitUrl, nameBuilder } from '../../../domain/builds/publishers.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Page, paged } from '../../../lib/paging.ts'
import { openGame, openPage, openPublicGame, refuseTakenDown } from '../../games/service.ts'
import { readEnvelopes } from '../attestations/service.ts'
import { readDocument } from '../contents/service.ts'
import { requireBuild } from '../service.ts'
import type { FilesByChecksum, PlacedEntries, Provenance } from './model.ts'
import * as queries from './queries.ts'
import { listPublicFiles } from './same-file-queries.ts'

/** Which of the inner files: by a part of the path or by SHA-256; empty for all. */
export interface EntrySearch {
  q: string
  page: Page
}

type Found = NonNullable<Awaited<ReturnType<typeof queries.findFileWithBuild>>>

/** The origin of files on stable, or registered for it, is public whatever their scan state. */
export async function readPublicProvenance(
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
export async function readPublicStatements(
  deps: Pick<Deps, 'db' | 'keyring'>,
  gameRef: string,
  fileUid: string,
): Promise<string[]> {
  const { file } = await findPublicFile(deps.db, gameRef, fileUid)
  const envelopes = file.scan === 'clean' ? await readEnvelopes(deps, file.uid) : []
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
    files: rows.map(({ file, build, game }) => ({
      file_uid: file.uid,
      filename: file.filename,
      size: file.size,
      checksum: file.checksum,
      uploaded_at: file.uploadedAt.toISOString(),
      game_uid: game.uid,
      vanity_name: game.vanityName,
      name: game.name,
      build_id: build.uid,
      version: build.version,
      os: build.os,
      arch: build.arch,
    })),
  }
}

export async function readProvenance(
  db: Db,
  user: WebsiteUser,
  gameRef: string,
  fileUid: string,
  search: EntrySearch,
): Promise<Provenance> {
  const { game } = await openGame(db, user, gameRef, 'edit')
  return await toProvenance(db, await findFile(db, game.uid, fileUid, user), search)
}

/** As this person may read it: makers of the listing every file, everyone else what is public. */
export async function readProvenanceFor(
  db: Db,
  user: WebsiteUser | null,
  gameRef: string,
  fileUid: string,
  search: EntrySearch,
): Promise<Provenance> {
  const { game, role } = await openPage(db, user, gameRef)
  if (role === null && !game.takenDown) return await readPublicProvenance(db, game.uid, fileUid, search)
  return await toProvenance(db, await findFile(db, game.uid, fileUid, user ?? {}), search)
}

const BUILD_HISTORY_SHOWN = 200

export interface ScanMoment extends ReturnType<typeof toEvent> {
  filename: string
}

/** Every scan of every file of a build, oldest first. */
export async function readScanHistory(
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
  const [items, total] = await Promise.all([
    queries.listPlacedEntries(db, file.uid, page),
    queries.countPlacedEntries(db, file.uid),
  ])
  return paged(page, items, total)
}

export async function readContentsOfKey(
  db: Db,
  { gameUid }: DeployKey,
  fileUid: string,
): Promise<Uint8Array> {
  const { file } = await findFile(db, gameUid, fileUid)
  if (file.scan === 'scanning') throw new AppError('still_scanning')
  if (file.scan !== 'clean') throw new AppError('not_found')
  return await readDocument(db, file)
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
  const [events, entries, total] = await Promise.all([
    queries.listScanEvents(db, file.uid),
    queries.listEntries(db, file.uid, q, page),
    queries.countEntries(db, file.uid, q),
  ])
  return {
    file_uid: file.uid,
    filename: file.filename,
    size: file.size,
    checksum: file.checksum,
    uploaded_at: file.uploadedAt.toISOString(),
    source: { kind: file.source, key_last4: file.keyLast4, ...toOrigin(file.origin) },
    build: {
      build_id: build.uid,
      app: build.app,
      app_name: build.appName,
      version: build.version,
      build_type: build.buildType,
      os: build.os,
      arch: build.arch,
      channel: build.channel,
      title: build.title,
      created_at: build.createdAt.toISOString(),
      updated_at: build.updatedAt.toISOString(),
    },
    scan: { state: file.scan, engine: showEngine(file.scanEngine), history: events.map(toEvent) },
    entries,
    entries_total: total,
    page: page.page,
    page_size: page.page_size,
  }
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
