import { isIP } from 'node:net'

import type { Config } from '../../config.ts'
import type { Db } from '../../db/client.ts'
import { AppError } from '../../errors.ts'
import { slugify } from '../../lib/text/slug.ts'
import { isUsernameTaken, lockName } from './queries.ts'

type Store = Pick<Config, 'baseUrl'>

/** Names that people take for somebody who runs the store. Accounts that have one already keep it. */
const RESERVED = new Set([
  'operator',
  'admin',
  'administrator',
  'support',
  'help',
  'staff',
  'moderator',
  'system',
  'root',
  'playshelf',
])

/** `ad-min-` reads like `admin`. */
function isReserved(store: Store, username: string): boolean {
  const plain = username.replaceAll('-', '')
  return RESERVED.has(plain) || storeNames(store).includes(plain)
}

/** `games.example.org` gives `games` and `example`. */
function storeNames({ baseUrl }: Store): string[] {
  const { hostname } = new URL(baseUrl)
  if (isIP(hostname.replace(/^\[|\]$/g, '')) > 0) return []
  const labels = hostname.split('.').slice(0, -1)
  return labels.map((label) => label.replaceAll('-', '')).filter((label) => label !== 'www')
}

export function refuseReserved(store: Store, username: string): void {
  if (!isReserved(store, username)) return
  const message = 'This username is reserved for the people who run the store. Choose another one.'
  throw new AppError('taken', { message, data: { issues: [{ path: 'username', message }] } })
}

/** An available username derived from the name at sign-up, reserved until the transaction ends. */
export async function pickUsername(db: Db, store: Store, name: string): Promise<string> {
  const base = slugify(name, 24)
  const preferred = base.length >= 3 ? base : `player-${randomDigits()}`
  await lockName(db, 'username', preferred)
  const isFree = !isReserved(store, preferred) && !(await isUsernameTaken(db, preferred))
  return isFree ? preferred : `${preferred}-${randomDigits()}`
}

function randomDigits(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
    .padStart(6, '0')
    .slice(-6)
}
