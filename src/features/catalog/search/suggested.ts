import type { Suggestions as FoundSuggestions } from '../../../clients/search/postgres/search-words.ts'
import type { Deps } from '../../../deps.ts'
import { toPerson } from '../../../domain/people.ts'
import { toImage } from '../../listings/images/service.ts'
import type { Suggestions } from './model.ts'
import { listSuggested } from './suggest-queries.ts'

type Shown = Pick<Suggestions, 'listings' | 'developers'>
type Found = Pick<FoundSuggestions, 'uids' | 'usernames'>

/** Those of the listings and developers that are still shown, in the order given. */
export type LoadSuggested = (found: Found) => Promise<Shown>

export async function loadSuggested(
  { config: { baseUrl }, db }: Pick<Deps, 'config' | 'db'>,
  { uids, usernames }: Found,
): Promise<Shown> {
  if (uids.length + usernames.length === 0) return { listings: [], developers: [] }
  const listings = new Map<string, Suggestions['listings'][number]>()
  const developers = new Map<string, Suggestions['developers'][number]>()
  for (const { listing, image, ...row } of await listSuggested(db, uids, usernames)) {
    const person = toPerson(baseUrl, row)
    if (listing === null) {
      developers.set(row.username, person)
      continue
    }
    const { uid, vanityName, name, ownerUid } = listing
    const cover = image && toImage(baseUrl, image)
    listings.set(uid, { vanity_name: vanityName, name, cover, developer: { uid: ownerUid, ...person } })
  }
  return {
    listings: uids.flatMap((uid) => listings.get(uid) ?? []),
    developers: usernames.flatMap((username) => developers.get(username) ?? []),
  }
}
