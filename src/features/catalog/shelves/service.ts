import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { OPERATING_SYSTEMS, type OperatingSystem } from '../../../domain/builds/platforms.ts'
import { SHELF_KINDS, type ShelfKind } from '../../../domain/listings/shelves.ts'
import { playsOn } from '../../../domain/listings/web-player.ts'
import { AppError } from '../../../errors.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { loadReport } from '../../listings/check/service.ts'
import type { LoadCards } from '../pages/cards.ts'
import { hasTagOf } from '../pages/cards.ts'
import type { Card } from '../pages/model.ts'
import { type Shelf, SHELF_SIZE } from './model.ts'
import {
  type Candidate,
  listForPlayNow,
  listForTonight,
  listShelves,
  listUnheardOf,
  type ShelfSystem,
  storeShelf,
} from './queries.ts'

export interface ShelfSource {
  findShelf: FindShelf
  loadCards: LoadCards
}

/**
 * Omits listings that were hidden or became adult after the last refresh, and those with tags the reader hides. What
 * can be played now also has no launch problems, and on phones it is made for them.
 */
export async function loadShelf(
  { findShelf, loadCards }: ShelfSource,
  kindName: string,
  osName: string | undefined,
  now: Date,
  hiddenTags: readonly string[],
): Promise<Shelf> {
  const kind = SHELF_KINDS.find((known) => known === kindName)
  if (kind === undefined) {
    throw new AppError('not_found', {
      message: `This shelf does not exist. The shelves are ${SHELF_KINDS.join(', ')}.`,
    })
  }
  const os = OPERATING_SYSTEMS.find((known) => known === osName) ?? null
  const shelf = await findShelf(kind, os ?? 'any')
  const cards = shelf ? await loadCards(shelf.gameUids) : []
  const isShown = (card: Card) =>
    !card.adult && !hasTagOf(card, hiddenTags) && (kind !== 'play_now' || startsInBrowser(card, os))
  const items = cards.filter(isShown).slice(0, SHELF_SIZE)
  return { kind, date: shelf?.date ?? now.toISOString().slice(0, 10), os, items }
}

function startsInBrowser(card: Card, os: OperatingSystem | null): boolean {
  const { playable, playable_on_phones: mobile, health } = card
  return playable && playsOn(os, { mobile }) && health.band !== 'problematic'
}

/** The minimum time between two reads under load; an idle process reads immediately. */
const READS_APART_MS = 2

interface StoredShelf {
  date: string
  gameUids: readonly string[]
}

export type FindShelf = (kind: ShelfKind, os: ShelfSystem) => Promise<StoredShelf | undefined>

/** Every home page asks for several shelves: concurrent requests share one query. */
export function createShelfReader({ reads }: Pick<Deps, 'reads'>): FindShelf {
  const find = coalesce(async (keys) => {
    const asked = keys.map((key) => key.split(' ') as [ShelfKind, ShelfSystem])
    const rows = await reads.shared(({ db }) =>
      listShelves(
        db,
        asked.map(([kind]) => kind),
        asked.map(([, os]) => os),
      ),
    )
    return new Map(rows.map((row) => [`${row.kind} ${row.os}`, row]))
  }, READS_APART_MS)
  return async (kind, os) => await find(`${kind} ${os}`)
}

const NEW_DAYS = 30
const DAYS_AFTER_FIRST_BOOT = 14
const FEW_DEVICES = 50
/** More than a shelf shows, so that it stays full when a page is hidden before the next refresh. */
const STORED = SHELF_SIZE * 2
/** More than needed, because some may fail the listing check. */
const CANDIDATES = 100

const SYSTEMS: readonly ShelfSystem[] = ['any', ...OPERATING_SYSTEMS]

/** Recomputes every shelf. */
export async function refreshShelves({ db }: Pick<Deps, 'db'>, now: Date): Promise<void> {
  const date = now.toISOString().slice(0, 10)
  const ago = (days: number) => new Date(now.getTime() - days * DAY_MS)
  const tonight = await listForTonight(db, date, STORED)
  const unheardOf = await listUnheardOf(db, date, CANDIDATES, {
    publishedSince: ago(NEW_DAYS),
    bootedSince: ago(DAYS_AFTER_FIRST_BOOT),
    fewerDevicesThan: FEW_DEVICES,
  })
  const playNow = uidsFor('any', await listForPlayNow(db, date, STORED))
  const passes = createCheck(db)
  for (const os of SYSTEMS) {
    await storeShelf(db, { kind: 'tonight', os, date, gameUids: uidsFor(os, tonight) })
    // Browser games run on every system.
    await storeShelf(db, { kind: 'play_now', os, date, gameUids: playNow })
    const gameUids = await takePassing(uidsFor(os, unheardOf), passes)
    await storeShelf(db, { kind: 'unheard_of', os, date, gameUids })
  }
}

function uidsFor(os: ShelfSystem, candidates: readonly Candidate[]): string[] {
  return candidates.filter((candidate) => candidate.os === os).map(({ gameUid }) => gameUid)
}

async function takePassing(
  uids: readonly string[],
  passes: (uid: string) => Promise<boolean>,
): Promise<string[]> {
  const taken: string[] = []
  for (const uid of uids) {
    if (taken.length === STORED) break
    if (await passes(uid)) taken.push(uid)
  }
  return taken
}

/** Caches the result, so that a page that fits several shelves is checked once. */
function createCheck(db: Db): (uid: string) => Promise<boolean> {
  const reports = new Map<string, Promise<boolean>>()
  return (uid) => {
    const report = reports.get(uid) ?? loadReport(db, uid).then(({ ok }) => ok)
    reports.set(uid, report)
    return report
  }
}
