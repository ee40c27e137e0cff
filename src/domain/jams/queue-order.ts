/** So many places a rating that a team gave moves its entry ahead, measured in ratings that others received. */
export const GIVEN_WEIGHT = 0.5
/** Ratings beyond these move an entry no further. */
export const GIVEN_MAX = 40
/** How many more ratings the page takes as its example of what giving more does. */
export const GIVEN_EXAMPLE = 5

export interface QueuedEntry {
  uid: string
  /** Ratings it received. */
  received: number
  /** Ratings its team gave. */
  given: number
}

/** Where an entry stands: entries that still need ratings go first, then low places. */
export function computePlace(
  { received, given }: Pick<QueuedEntry, 'received' | 'given'>,
  minRatings: number,
): [tier: number, place: number] {
  return [received < minRatings ? 0 : 1, received - Math.min(given, GIVEN_MAX) * GIVEN_WEIGHT]
}

/** Entries in the order in which they are offered. `draw` decides among equals, the same for one voter all day. */
export function sortQueue<Entry extends QueuedEntry>(
  entries: readonly Entry[],
  minRatings: number,
  draw: (uid: string) => number,
): Entry[] {
  return entries
    .map((entry) => ({ entry, key: [...computePlace(entry, minRatings), draw(entry.uid)] }))
    .toSorted((one, other) => {
      for (const [index, value] of one.key.entries()) {
        const gap = value - (other.key[index] ?? 0)
        if (gap !== 0) return gap
      }
      return 0
    })
    .map(({ entry }) => entry)
}
