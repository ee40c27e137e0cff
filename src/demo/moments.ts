import type { Random } from '../lib/random.ts'
import { DAY_MS } from '../lib/time.ts'

export function daysBefore(moment: Date, days: number): Date {
  return new Date(moment.getTime() - days * DAY_MS)
}

/** Returns an id that sorts by the given time. */
export function uidAt(moment: Date): string {
  return Bun.randomUUIDv7('hex', moment)
}

/** Returns such an id with a random part that is determined by the seed. */
export function seededUid(moment: Date, random: Random): string {
  const time = moment.getTime().toString(16).padStart(12, '0')
  const hex = (digits: number) =>
    random
      .below(16 ** digits)
      .toString(16)
      .padStart(digits, '0')
  const variant = (8 + random.below(4)).toString(16)
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex(3)}-${variant}${hex(3)}-${hex(6)}${hex(6)}`
}
