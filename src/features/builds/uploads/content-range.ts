/** Byte offsets; `end` is inclusive. */
export interface ContentRange {
  start: number
  end: number
  total: number
}

const CONTENT_RANGE = /^bytes (\d{1,16})-(\d{1,16})\/(\d{1,16})$/i

/** null for a missing, malformed or contradictory header. */
export function parseContentRange(header: string | null): ContentRange | null {
  const [, start, end, total] = (CONTENT_RANGE.exec(header?.trim() ?? '') ?? []).map(Number)
  if (start === undefined || end === undefined || total === undefined) return null
  return start <= end && end < total ? { start, end, total } : null
}

export function lengthOf({ start, end }: ContentRange): number {
  return end + 1 - start
}
