/** How many listings and developers an account follows together. */
export const FOLLOWS_MAX = 2000
/** Developers see smaller numbers of followers only as "fewer than 5". */
export const FOLLOWERS_SHOWN_FROM = 5

/** What an account follows: the uids of listings, of those on its wishlist, of developers, and of jams that it joined. */
export interface Followed {
  games: ReadonlySet<string>
  wishes: ReadonlySet<string>
  developers: ReadonlySet<string>
  jams: ReadonlySet<string>
}

/** Of everyone who is not signed in. */
export const NOTHING_FOLLOWED: Followed = {
  games: new Set(),
  wishes: new Set(),
  developers: new Set(),
  jams: new Set(),
}

export function followsUid({ games, wishes, developers, jams }: Followed, uid: string): boolean {
  return games.has(uid) || wishes.has(uid) || developers.has(uid) || jams.has(uid)
}
