/** Bytes of the zip that are needed, and what for. */
export interface Wanted<Use> {
  start: number
  end: number
  use: Use
}

/** One request. */
export interface RangeRequest<Use> {
  start: number
  end: number
  wanted: Wanted<Use>[]
}

/** Fewer bytes than this between two parts cost less than a request of their own. */
const GAP_MAX = 16 * 1024
/** So that several connections have work, and little is under way when the command is killed. */
export const REQUEST_MAX = 2 * 1024 ** 2

/** Neighbouring parts in one request each, in the order of the zip. */
export function groupRanges<Use>(
  wanted: readonly Wanted<Use>[],
  { gap = GAP_MAX, max = REQUEST_MAX }: { gap?: number; max?: number } = {},
): RangeRequest<Use>[] {
  const requests: RangeRequest<Use>[] = []
  for (const part of wanted.toSorted((a, b) => a.start - b.start)) {
    const last = requests.at(-1)
    const isNear = last && part.start >= last.end && part.start - last.end <= gap
    if (last && isNear && part.end - last.start <= max) {
      last.end = part.end
      last.wanted.push(part)
    } else requests.push({ start: part.start, end: part.end, wanted: [part] })
  }
  return requests
}
