import { isIP } from 'node:net'

import type { Db } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { STORE_NAME_MAX } from '../../domain/store-settings.ts'
import { invalidFields } from '../../errors.ts'
import { slugify } from '../../lib/text/names.ts'
import { settingsOf } from '../settings/reader.ts'
import { isUsernameTaken, lockName } from './queries.ts'

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
function isReserved(deps: Deps, username: string): boolean {
  const plain = username.replaceAll('-', '')
  return RESERVED.has(plain) || storeNames(deps).includes(plain)
}

/** `Lantern Games` at `games.example.org` gives `lanterngames`, `games` and `example`. */
function storeNames(deps: Deps): string[] {
  const own = slugify(settingsOf(deps).storefront().settings.name, STORE_NAME_MAX)
  const { hostname } = new URL(deps.config.baseUrl)
  const isAddress = isIP(hostname.replace(/^\[|\]$/g, '')) > 0
  const labels = isAddress ? [] : hostname.split('.').slice(0, -1)
  return [own, ...labels.filter((label) => label !== 'www')].map((name) => name.replaceAll('-', ''))
}

/** The name of the store, and the words that people take for somebody who runs it. */
export function listStoreNames(deps: Deps): { own: string; reserved: string[] } {
  const { name } = settingsOf(deps).storefront().settings
  return { own: name, reserved: [...RESERVED, ...storeNames(deps)] }
}

export function refuseReserved(deps: Deps, username: string): void {
  if (!isReserved(deps, username)) return
  const message = 'This username is reserved for the people who run the store. Choose another one.'
  throw invalidFields([{ path: 'username', message }], { kind: 'taken' })
}

/** An available username derived from the name at sign-up, reserved until the transaction ends. */
export async function pickUsername(db: Db, deps: Deps, name: string): Promise<string> {
  const base = slugify(name, 24)
  const preferred = base.length >= 3 ? base : `player-${randomDigits()}`
  await lockName(db, 'username', preferred)
  const isFree = !isReserved(deps, preferred) && !(await isUsernameTaken(db, preferred))
  return isFree ? preferred : `${preferred}-${randomDigits()}`
}

function randomDigits(): string {
  return String(crypto.getRandomValues(new Uint32Array(1))[0] ?? 0)
    .padStart(6, '0')
    .slice(-6)
}
