import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { checkEntry, type EntryFault } from '../../../domain/jams/entries.ts'
import { openGame } from '../../games/service.ts'
import { openJam } from '../access.ts'
import { listPinnedFiles, loadNow } from '../shared-queries.ts'
import { listEnteredGames, listOwnGames } from './list-queries.ts'
import type { EntryState } from './model.ts'
import * as queries from './queries.ts'
import { describeState } from './service.ts'

/** How many listings the page shows on which one picks one, and jams the studio. */
const LISTINGS_MAX = 100
const JAMS_MAX = 50

/** A listing that its owner or an admin could enter into a jam. */
export interface OwnListing {
  uid: string
  name: string
  vanityName: string
  entered: boolean
  missing: EntryFault[]
}

/** The listings of a person with what each lacks for a jam, the last changed first. */
export async function listOwnListings(
  { db }: Pick<Deps, 'db'>,
  user: WebsiteUser,
  jamRef: string,
): Promise<OwnListing[]> {
  const { jam } = await openJam(db, user, jamRef)
  const games = await listOwnGames(db, user.userUid, LISTINGS_MAX)
  const uids = games.map(({ uid }) => uid)
  const [facts, entered] = await Promise.all([
    queries.listEntryFacts(db, uids),
    listEnteredGames(db, jam.uid, uids),
  ])
  const isIn = new Set(entered)
  return games.map(({ uid, name, vanityName }) => {
    const found = facts.get(uid)
    return { uid, name, vanityName, entered: isIn.has(uid), missing: found ? checkEntry(found, jam) : [] }
  })
}

/** The jams of a listing for its studio: those it is in, and those it could be entered into. */
export async function listJamsOfListing(
  { db }: Pick<Deps, 'db'>,
  user: WebsiteUser,
  ref: string,
): Promise<{ states: EntryState[]; now: Date }> {
  const { game } = await openGame(db, user, ref, 'edit')
  const [rows, facts, now] = await Promise.all([
    queries.listJamsFor(db, { gameUid: game.uid, userUid: user.userUid }, JAMS_MAX),
    queries.listEntryFacts(db, [game.uid]),
    loadNow(db),
  ])
  const pinned = rows.flatMap(({ entry, jam }) => (entry && jam.pinnedAt ? [entry.uid] : []))
  const files = Map.groupBy(await listPinnedFiles(db, pinned), (file) => file.entry_uid)
  const states = rows.map(({ entry, jam }) =>
    describeState(jam, game.uid, {
      entry: entry ?? undefined,
      facts: facts.get(game.uid),
      files: (entry && files.get(entry.uid)) ?? [],
      now,
    }),
  )
  return { states, now }
}
