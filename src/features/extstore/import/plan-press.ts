import type { StoreApp } from '../../../clients/ext-store/ext-store.ts'
import { isHttpsUrl, LINK_MAX } from '../../../lib/net/urls.ts'
import { cutAtWord, oneLine } from '../../../lib/text/cut-text.ts'
import { CREDIT_NAME_MAX, type PressKit, RELEASE_DATE_MAX, TEAM_MAX } from '../../listings/press/model.ts'
import { type Part, skip } from './plan-part.ts'

type Credit = PressKit['team'][number]

const ROLES = { developer: 'Developer', publisher: 'Publisher', both: 'Developer and publisher' } as const

export function planPress(app: StoreApp): Part[] {
  return [planReleaseDate(app), planWebsite(app), planTrailer(app), planTeam(app)]
}

function planReleaseDate({ release }: StoreApp): Part {
  const date = cutAtWord(oneLine(release.date), RELEASE_DATE_MAX)
  return date === ''
    ? skip('press.release_date', 'The store names no release date.')
    : { press: { release_date: date } }
}

function planWebsite({ website }: StoreApp): Part {
  if (website === null) return skip('press.website', 'The store names no website.')
  if (isLink(website)) return { press: { website } }
  return skip('press.website', `A website must be an https:// address of at most ${LINK_MAX} characters.`)
}

function planTrailer({ trailers }: StoreApp): Part {
  const trailer = trailers.find(isLink)
  return trailer === undefined
    ? skip('press.trailer_url', 'The store has no trailer to link to.')
    : { press: { trailer_url: trailer } }
}

function isLink(url: string): boolean {
  return url.isWellFormed() && isHttpsUrl(url, LINK_MAX)
}

function planTeam(app: StoreApp): Part {
  const [developers, publishers] = [namesOf(app.developers), namesOf(app.publishers)]
  const team = [
    ...developers.map((name) => credit(name, publishers.includes(name) ? ROLES.both : ROLES.developer)),
    ...publishers.filter((name) => !developers.includes(name)).map((name) => credit(name, ROLES.publisher)),
  ].slice(0, TEAM_MAX)
  return team.length === 0
    ? skip('press.team', 'The store names neither developer nor publisher.')
    : { press: { team } }
}

function namesOf(names: readonly string[]): string[] {
  const cut = names.map((name) => cutAtWord(oneLine(name), CREDIT_NAME_MAX))
  return [...new Set(cut)].filter((name) => name !== '')
}

function credit(name: string, role: string): Credit {
  return { name, role, url: null }
}

/** Replaces the credits of an earlier import; all other credits stay. */
export function mergeTeam(current: readonly Credit[], imported: readonly Credit[]): Credit[] {
  const storeRoles: readonly (string | null)[] = Object.values(ROLES)
  const others = current.filter(({ role }) => !storeRoles.includes(role))
  return [...imported.slice(0, TEAM_MAX - others.length), ...others]
}
