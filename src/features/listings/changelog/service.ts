import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../../lib/paging.ts'
import { respond } from '../../../lib/respond.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { changeGame, markEdited, openGame } from '../../games/service.ts'
import { ChangelogEntry, type ChangelogInput, type ChangelogPatch } from './model.ts'
import * as queries from './queries.ts'

const EMPTY: queries.EntryText = { title: '', body: '', version: null, items: [] }

export async function listNewestChanges(db: Db, gameUid: string, limit: number): Promise<ChangelogEntry[]> {
  return (await queries.listNewest(db, gameUid, limit)).map(toEntry)
}

/** The newest change of each listing that the caller has opened, by the listing's uid, in one query. */
export async function loadNewestChangeOf(
  db: Db,
  gameUids: readonly string[],
): Promise<ReadonlyMap<string, ChangelogEntry>> {
  const rows = await queries.listNewestOf(db, gameUids)
  return new Map(rows.map((row) => [row.gameUid, toEntry(row)]))
}

/** Entries of a listing that the caller has opened. */
export async function listChangesByUid(db: Db, uids: readonly string[]): Promise<ChangelogEntry[]> {
  return (await queries.listByUid(db, uids)).map(toEntry)
}

export async function listChanges(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  page: Page,
): Promise<Paged<ChangelogEntry>> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return await listChangesOf(deps.db, game.uid, page)
}

/** The changelog of a listing that the caller has opened. */
async function listChangesOf(db: Db, gameUid: string, page: Page): Promise<Paged<ChangelogEntry>> {
  return mapPage(await queries.listEntries(db, gameUid, page), toEntry)
}

export async function addChange(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  input: ChangelogInput,
): Promise<ChangelogEntry> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const row = await queries.insertEntry(tx, { gameUid: game.uid, ...applyPatch(EMPTY, input) })
    await markEdited(tx, game.uid)
    return toEntry(row)
  })
}

export async function getChange(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  uid: string,
): Promise<ChangelogEntry> {
  const { game } = await openGame(deps.db, actor, ref, 'edit')
  return toEntry(await findEntry(deps.db, game.uid, uid))
}

/** Changes the fields that are sent. */
export async function editChange(
  deps: Deps,
  actor: WebsiteUser,
  ref: string,
  uid: string,
  patch: ChangelogPatch,
): Promise<ChangelogEntry> {
  return await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const row = await findEntry(tx, game.uid, uid)
    const values = applyPatch(row, patch)
    await queries.updateEntry(tx, row.uid, values)
    await markEdited(tx, game.uid)
    return toEntry({ ...row, ...values })
  })
}

export async function deleteChange(deps: Deps, actor: WebsiteUser, ref: string, uid: string): Promise<void> {
  await changeGame(deps.db, actor, ref, 'edit', async (tx, game) => {
    const wasThere = isUid(uid) && (await queries.deleteEntry(tx, game.uid, uid))
    if (!wasThere) throw new AppError('not_found')
    await markEdited(tx, game.uid)
  })
}

async function findEntry(db: Db, gameUid: string, uid: string): Promise<queries.EntryRow> {
  const row = isUid(uid) ? await queries.findEntry(db, gameUid, uid) : undefined
  if (!row) throw new AppError('not_found')
  return row
}

function applyPatch(entry: queries.EntryText, patch: ChangelogPatch): queries.EntryText {
  const { title = entry.title, body = entry.body, version = entry.version, items = entry.items } = patch
  return {
    title: title.trim(),
    body,
    version: version?.trim() ?? null,
    items: items.map(({ title: change, description = '' }) => ({ title: change, description })),
  }
}

function toEntry(row: queries.EntryRow): ChangelogEntry {
  return respond(ChangelogEntry, row, { body_html: renderMarkdown(row.body) })
}
