import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type Actor, seesAdult } from '../../../domain/actor.ts'
import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { ENTRY_SORTS, PLAYED_FILTERS } from '../../../domain/jams/entries.ts'
import { adultMessage } from '../../../domain/listings/entitlement.ts'
import { AppError } from '../../../errors.ts'
import { clamp, PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX } from '../../../lib/paging.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { type LoadCards, loadJamCards } from '../../catalog/pages/cards.ts'
import type { Card } from '../../catalog/pages/model.ts'
import { type JamAccess, openJam } from '../access.ts'
import { listPinnedFiles, type PinnedFile } from '../shared-queries.ts'
import * as queries from './list-queries.ts'
import { type Entries, type Entry, ENTRY_TEXT_MAX, ENTRY_WORDS_MAX } from './model.ts'
import { toFile } from './service.ts'

const OFFSET_MAX = 1_000_000

export interface EntrySource {
  deps: Deps
  /** Of public listings. */
  loadCards: LoadCards
}

export interface EntriesRequest extends Pick<
  queries.EntriesFilter,
  'sort' | 'words' | 'os' | 'played' | 'seed'
> {
  limit: number
  offset: number
}

/** An unknown value falls back to the default. `visitor` names who asks, so that a random order stays theirs all day. */
export function parseEntries(
  query: Readonly<Record<string, string | undefined>>,
  visitor: string,
  now = new Date(),
): EntriesRequest {
  const text = (query.q ?? '').slice(0, ENTRY_TEXT_MAX).toLowerCase()
  return {
    sort: ENTRY_SORTS.find((known) => known === query.sort) ?? 'newest',
    words: text.split(/\s+/).filter(Boolean).slice(0, ENTRY_WORDS_MAX),
    os: OPERATING_SYSTEMS.find((known) => known === query.os) ?? null,
    played: PLAYED_FILTERS.find((known) => known === query.played) ?? null,
    seed: `${now.toISOString().slice(0, 10)} ${visitor}`,
    limit: clamp(query.limit, PAGE_SIZE_DEFAULT, 1, PAGE_SIZE_MAX),
    offset: clamp(query.offset, 0, 0, OFFSET_MAX),
  }
}

/** An entry with what this visitor did with it. */
export type MarkedEntry = Entry & { isPlayed: boolean }

export interface FoundEntries extends Omit<Entries, 'items'> {
  items: MarkedEntry[]
}

/** The entries that this visitor sees; the number of statements is constant. */
export async function findEntries(
  source: EntrySource,
  actor: Actor,
  access: JamAccess,
  { limit, offset, ...request }: EntriesRequest,
): Promise<FoundEntries> {
  const filter = { ...request, ...filterOf(access, actor), withAdult: seesAdult(actor) }
  const { items, total } = await queries.listEntries(source.deps.db, filter, { limit, offset })
  return { items: await toEntries(source, access, items), total, limit, offset }
}

export async function listEntries(
  source: EntrySource,
  actor: Actor,
  jamRef: string,
  request: EntriesRequest,
): Promise<Entries> {
  const access = await openJam(source.deps.db, actor, jamRef)
  const { items, total, limit, offset } = await findEntries(source, actor, access, request)
  return { items: items.map(({ isPlayed: _, ...entry }) => entry), total, limit, offset }
}

export interface OpenedEntry {
  entry: MarkedEntry
  html: string
  /** Whether everyone can open the page of the listing. */
  isOpen: boolean
}

/** One entry as its page in the jam shows it. */
export async function openEntry(
  source: EntrySource,
  actor: Actor,
  access: JamAccess,
  gameRef: string,
): Promise<OpenedEntry> {
  const row = await queries.findShownEntry(source.deps.db, {
    ...filterOf(access, actor),
    withAdult: seesAdult(actor),
    gameRef,
  })
  if (!row) throw new AppError('not_found')
  if (row.adult && !seesAdult(actor))
    throw new AppError('forbidden', { message: adultMessage('see this entry') })
  const [entry] = await toEntries(source, access, [row])
  if (!entry) throw new AppError('not_found')
  return { entry, html: renderMarkdown(row.description), isOpen: row.isOpen }
}

function filterOf({ jam, now }: JamAccess, actor: Actor) {
  return {
    jamUid: jam.uid,
    isPinned: jam.pinnedAt !== null,
    hasEnded: now >= jam.endsAt,
    userUid: 'userUid' in actor ? actor.userUid : null,
  }
}

async function toEntries(
  source: EntrySource,
  { jam }: JamAccess,
  rows: readonly queries.ListedEntry[],
): Promise<MarkedEntry[]> {
  const isPinned = jam.pinnedAt !== null
  const entryUids = rows.map(({ uid }) => uid)
  const [cards, files] = await Promise.all([
    loadJamCards(source, rows),
    isPinned ? listPinnedFiles(source.deps.db, entryUids) : [],
  ])
  const cardOf = new Map(cards.map((card) => [card.uid, card]))
  const filesOf = Map.groupBy<string, PinnedFile>(files, (file) => file.entry_uid)
  return rows.flatMap((row) => {
    const game = cardOf.get(row.gameUid)
    return game ? [toEntry(row, game, filesOf.get(row.uid) ?? [])] : []
  })
}

function toEntry(
  { note, late, disqualified, isPlayed }: queries.ListedEntry,
  game: Card,
  pinned: readonly PinnedFile[],
): MarkedEntry {
  const files = pinned.map(toFile)
  const [first] = files
  const build = first ? { build_id: first.build_id, version: first.version, file_uid: first.file_uid } : null
  return { game, note, build, files, late, disqualified, isPlayed }
}

const JAMS_SHOWN = 10

export interface JamOfGame {
  slug: string
  title: string
  /** The versions that people play in the jam; empty until they are fixed. */
  versions: string[]
}

/** The public jams that a listing was entered into, the newest first. */
export async function listJamsOfGame(db: Db, gameUid: string): Promise<JamOfGame[]> {
  const rows = await queries.listJamsOfGame(db, gameUid, JAMS_SHOWN)
  return rows.map(({ slug, title, versions }) => ({ slug, title, versions }))
}
