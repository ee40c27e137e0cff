import type { Transaction } from '../db/client.ts'
import { notify } from '../db/notify/notify.ts'
import type { Deps } from '../deps.ts'
import { ALL_GAMES, GAME_CHANGED, notifyChange } from '../features/games/service.ts'
import { storeImage } from '../features/listings/images/service.ts'
import { communityRows, daysBefore, gameRow, type Known } from './catalog-rows.ts'
import type { DemoListing } from './listing-data.ts'
import { DEMO_LISTINGS, DEMO_NAMES } from './listings/all.ts'
import { type PagePictures, type Painter, paintPages } from './paint.ts'
import { DEVELOPERS, PLAYERS } from './people.ts'
import * as queries from './queries.ts'
import { uidAt } from './uids.ts'

/**
 * Adds a small, varied catalog. Can be run again to add missing listings. Returns the number of new listings.
 * Pictures are drawn before the transaction that writes all rows.
 */
export async function loadDemoCatalog(deps: Deps, paint: Painter = paintPages): Promise<number> {
  const wanted = missingIn(await queries.findNamed(deps.db, DEMO_NAMES))
  if (wanted.length === 0) return 0
  const pictures = await paint(wanted)
  return await deps.db.transaction(async (tx) => {
    await queries.lockDemo(tx)
    const named = await queries.findNamed(tx, DEMO_NAMES)
    const missing = missingIn(named).filter(({ vanityName }) => pictures.has(vanityName))
    const known = await know(tx, named)
    const rows = missing.map((listing) => gameRow(listing, known))
    // Inserted as drafts, so that pages become visible only with their pictures.
    await queries.insertGames(
      tx,
      rows.map((row) => ({ ...row, visibility: 'draft' as const })),
    )
    for (const listing of missing) await attachImages(deps, tx, listing, known, pictures)
    await queries.insertCommunity(tx, communityRows(missing, known))
    await queries.finishGames(tx, rows)
    await notify(tx, GAME_CHANGED, ALL_GAMES)
    for (const { vanityName } of missing) await notifyChange(tx, known.uidOf(vanityName))
    return missing.length
  })
}

function missingIn(named: ReadonlyMap<string, string>): DemoListing[] {
  return DEMO_LISTINGS.filter(({ vanityName }) => !named.has(vanityName))
}

async function know(tx: Transaction, named: ReadonlyMap<string, string>): Promise<Known> {
  const now = new Date()
  const people = Object.entries({ ...DEVELOPERS, ...PLAYERS })
  await queries.insertPeople(
    tx,
    people.map(([username, { name, email }]) => ({
      id: uidAt(now),
      name,
      email,
      emailVerified: true,
      username,
      developerMode: username in DEVELOPERS,
    })),
  )
  const uids = await queries.findPeople(
    tx,
    people.map(([, { email }]) => email),
  )
  const persons = new Map(people.map(([name, { email }]) => [name, uids.get(email)]))
  const pages = new Map(
    DEMO_LISTINGS.map(({ vanityName, daysAgo }) => [
      vanityName,
      named.get(vanityName) ?? uidAt(daysBefore(now, daysAgo)),
    ]),
  )
  return {
    now,
    uidOf: (name) => pages.get(name) ?? fail(`No demo listing is called ${name}`),
    personOf: (name) => persons.get(name) ?? fail(`There is no demo account for ${name}`),
  }
}

async function attachImages(
  deps: Deps,
  tx: Transaction,
  { vanityName }: DemoListing,
  known: Known,
  pictures: ReadonlyMap<string, PagePictures>,
): Promise<void> {
  const { cover, thumbnail, gallery } = pictures.get(vanityName) ?? fail(`${vanityName} has no pictures`)
  const page = { uid: known.uidOf(vanityName), visibility: 'draft' as const }
  await storeImage(deps, tx, page, 'cover', cover)
  await storeImage(deps, tx, page, 'thumbnail', thumbnail)
  for (const picture of gallery) await storeImage(deps, tx, page, 'gallery', picture)
}

function fail(message: string): never {
  throw new Error(message)
}
