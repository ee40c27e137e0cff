import type { Db } from '../../db/client.ts'
import { slugify } from '../../lib/slug.ts'
import { isUsernameTaken, lockUsername } from './queries.ts'

/** An available username derived from the name at sign-up, reserved until the transaction ends. */
export async function pickUsername(db: Db, name: string): Promise<string> {
  const base = slugify(name, 24)
  const preferred = base.length >= 3 ? base : `player-${randomDigits()}`
  await lockUsername(db, preferred)
  return (await isUsernameTaken(db, preferred)) ? `${preferred}-${randomDigits()}` : preferred
}

function randomDigits(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
    .padStart(6, '0')
    .slice(-6)
}
