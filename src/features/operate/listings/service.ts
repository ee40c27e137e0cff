import type { Db, Transaction } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { objectKeyOfFile, showEngine } from '../../../domain/builds/files.ts'
import { AppError } from '../../../errors.ts'
import { createUid, isUid } from '../../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { rescanFile } from '../../builds/scans/rescan.ts'
import type { GameRow } from '../../games/service.ts'
import { lockWholeGame } from '../../games/shared-queries.ts'
import { restorePage, takeDownPage } from '../../listings/page/take-down.ts'
import { renewImmediately, renewKeys } from '../../storage/service.ts'
import { recordAct } from '../audit/service.ts'
import type { Operate } from '../operate.ts'
import { resolveReportsOf } from '../reports/service.ts'
import type { ListingWithFiles, OperatorFile, OperatorListing } from './model.ts'
import * as queries from './queries.ts'

const FILES_SHOWN = 100

export async function listListings(
  db: Db,
  search: queries.ListingSearch,
  page: Page,
): Promise<Paged<OperatorListing>> {
  const [rows, total] = await Promise.all([
    queries.listGames(db, search, page),
    queries.countGames(db, search),
  ])
  return paged(page, rows.map(toListing), total)
}

export async function getListing(db: Db, uid: string): Promise<ListingWithFiles> {
  const row = isUid(uid) ? await queries.findGame(db, uid) : undefined
  if (!row) throw new AppError('not_found')
  const files = await queries.listFiles(db, uid, FILES_SHOWN)
  return { ...toListing(row), files: files.map(toFile) }
}

/** The page is missing for everyone else at once; its files get new keys, which ends their download links. */
export async function takeDown(
  { deps }: Operate,
  operator: WebsiteUser,
  uid: string,
  reason: string,
): Promise<OperatorListing> {
  const { listing, moves } = await deps.db.transaction(async (tx) => {
    const game = await lockGame(tx, uid)
    await takeDownPage(deps, tx, game, reason)
    await resolveReportsOf(tx, game.uid)
    const act = { act: 'take_down', subject: 'listing', id: game.uid, name: game.name, reason } as const
    await recordAct(tx, operator, act)
    const keys = await queries.listCleanKeys(tx, game.uid)
    const moves = keys.map((from) => ({ from, to: objectKeyOfFile(game.uid, createUid()) }))
    await renewKeys(tx, { moves })
    return { listing: await readListing(tx, uid), moves }
  })
  await renewImmediately(deps, { moves })
  return listing
}

export async function restore(
  { deps }: Operate,
  operator: WebsiteUser,
  uid: string,
  reason?: string,
): Promise<OperatorListing> {
  return await deps.db.transaction(async (tx) => {
    const game = await lockGame(tx, uid)
    await restorePage(deps, tx, game)
    const act = { act: 'restore_listing', subject: 'listing', id: game.uid, name: game.name, reason } as const
    await recordAct(tx, operator, act)
    return await readListing(tx, uid)
  })
}

export async function rescan({ deps }: Operate, operator: WebsiteUser, fileUid: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { uid, filename } = await rescanFile(tx, fileUid)
    await recordAct(tx, operator, { act: 'rescan_file', subject: 'file', id: uid, name: filename })
  })
}

async function lockGame(tx: Transaction, uid: string): Promise<GameRow> {
  const game = isUid(uid) ? await lockWholeGame(tx, uid) : undefined
  if (!game) throw new AppError('not_found')
  return game
}

async function readListing(tx: Transaction, uid: string): Promise<OperatorListing> {
  const row = await queries.findGame(tx, uid)
  if (!row) throw new AppError('not_found')
  return toListing(row)
}

function toListing(row: queries.ListingRow): OperatorListing {
  return {
    uid: row.uid,
    vanity_name: row.vanityName,
    name: row.name,
    asset_type: row.assetType,
    visibility: row.visibility,
    taken_down: row.takenDown,
    owner: { uid: row.ownerUid, username: row.username, suspended: row.isOwnerSuspended },
    open_reports: row.openReports,
    created_at: row.createdAt.toISOString(),
  }
}

function toFile({ file, build }: queries.FileRow): OperatorFile {
  return {
    uid: file.uid,
    filename: file.filename,
    size: file.size,
    checksum: file.checksum,
    ...build,
    scan: file.scan,
    scan_engine: showEngine(file.scanEngine),
    scan_detail: file.scanDetail,
    uploaded_at: file.uploadedAt.toISOString(),
    scanned_at: file.scannedAt?.toISOString() ?? null,
  }
}
