import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { DAY_MS } from '../../../lib/utc-days.ts'
import { readReport } from '../../listings/check/service.ts'
import { SHELF_SIZE } from './model.ts'
import {
  type Candidate,
  listForPlayNow,
  listForTonight,
  listUnheardOf,
  type ShelfSystem,
  storeShelf,
} from './queries.ts'

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
    // A browser is there on every system.
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
    const report = reports.get(uid) ?? readReport(db, uid).then(({ ok }) => ok)
    reports.set(uid, report)
    return report
  }
}
