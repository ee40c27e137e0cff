import type { Db } from '../../../db/client.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { STABLE } from '../../../domain/channels.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import type { Page } from '../../../lib/paging.ts'
import { openGame, openPublicGame } from '../../games/service.ts'
import type { Provenance } from './model.ts'
import * as queries from './queries.ts'

type Found = NonNullable<Awaited<ReturnType<typeof queries.findFileWithBuild>>>

/** The origin of files on stable, or registered for it, is public whatever their scan state. */
export async function readPublicProvenance(
  db: Db,
  gameRef: string,
  fileUid: string,
  page: Page,
): Promise<Provenance> {
  const game = await openPublicGame(db, gameRef)
  const found = await findFile(db, game.uid, fileUid)
  const isStable = found.build.channel === STABLE || (await queries.isStableFile(db, fileUid))
  if (!isStable) throw new AppError('not_found')
  return await showProvenance(db, found, page)
}

export async function readProvenance(
  db: Db,
  user: WebsiteUser,
  gameRef: string,
  fileUid: string,
  page: Page,
): Promise<Provenance> {
  const { game } = await openGame(db, user, gameRef, 'edit')
  return await showProvenance(db, await findFile(db, game.uid, fileUid), page)
}

async function findFile(db: Db, gameUid: string, fileUid: string): Promise<Found> {
  const found = isUid(fileUid) ? await queries.findFileWithBuild(db, gameUid, fileUid) : undefined
  if (!found) throw new AppError('not_found')
  return found
}

async function showProvenance(db: Db, { file, build }: Found, page: Page): Promise<Provenance> {
  const [events, entries, total] = await Promise.all([
    queries.listScanEvents(db, file.uid),
    queries.listEntries(db, file.uid, page),
    queries.countEntries(db, file.uid),
  ])
  return {
    file_uid: file.uid,
    filename: file.filename,
    size: file.size,
    checksum: file.checksum,
    uploaded_at: file.uploadedAt.toISOString(),
    source: { kind: file.source, key_last4: file.keyLast4 },
    build: {
      build_id: build.uid,
      app: build.app,
      version: build.version,
      build_type: build.buildType,
      os: build.os,
      arch: build.arch,
      channel: build.channel,
      title: build.title,
      created_at: build.createdAt.toISOString(),
      updated_at: build.updatedAt.toISOString(),
    },
    scan: { state: file.scan, engine: file.scanEngine, history: events.map(showEvent) },
    entries,
    entries_total: total,
    page: page.page,
    page_size: page.page_size,
  }
}

function showEvent({ createdAt, state, engine, detail }: queries.ScanEventRow) {
  return { at: createdAt.toISOString(), state, engine, detail }
}
