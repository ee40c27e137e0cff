import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { renderMarkdown } from '../../../lib/markdown.ts'
import { type Page, type Paged, paged } from '../../../lib/paging.ts'
import { lockGame, markEdited, openGame } from '../../games/service.ts'
import type { ChangelogEntry, ChangelogInput } from './model.ts'
import * as queries from './queries.ts'

export async function readNewestChanges(db: Db, gameUid: string, limit: number): Promise<ChangelogEntry[]> {
  return (await queries.listEntries(db, gameUid, limit)).map(showEntry)
}

export async function listChanges(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<ChangelogEntry>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await readChangesOf(deps.db, game.uid, page)
}

/** Of a listing that the caller has opened. */
export async function readChangesOf(db: Db, gameUid: string, page: Page): Promise<Paged<ChangelogEntry>> {
  const [rows, total] = await Promise.all([
    queries.listEntries(db, gameUid, page.page_size, page.offset),
    queries.countEntries(db, gameUid),
  ])
  return paged(page, rows.map(showEntry), total)
}

export async function addChange(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  input: ChangelogInput,
): Promise<ChangelogEntry> {
  return await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const row = await queries.insertEntry(tx, {
      gameUid: game.uid,
      title: input.title.trim(),
      body: input.body,
      version: input.version?.trim() ?? null,
    })
    await markEdited(tx, game.uid)
    return showEntry(row)
  })
}

export async function deleteChange(deps: Deps, actor: WebsiteUser, ref: string, uid: string): Promise<void> {
  await deps.db.transaction(async (tx) => {
    const { game } = await lockGame(tx, actor, ref, 'edit')
    const wasThere = isUid(uid) && (await queries.deleteEntry(tx, game.uid, uid))
    if (!wasThere) throw new AppError('not_found')
    await markEdited(tx, game.uid)
  })
}

function showEntry(row: queries.EntryRow): ChangelogEntry {
  return {
    uid: row.uid,
    title: row.title,
    body: row.body,
    body_html: renderMarkdown(row.body),
    version: row.version,
    created_at: row.createdAt.toISOString(),
  }
}
