import type { Db, Transaction } from '../../db/client.ts'
import { isUniqueViolation } from '../../db/errors.ts'
import type { Deps } from '../../deps.ts'
import { PLAYER_KEY_PREFIX, type WebsiteUser } from '../../domain/actor.ts'
import { isSlug, normalizeSlug, SLUG_MAX } from '../../domain/listings/slugs.ts'
import { AppError, invalidField } from '../../errors.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { createSecret, isUid } from '../../lib/ids.ts'
import { type Page, type Paged, paged } from '../../lib/paging.ts'
import { showProgramName } from '../../lib/text/names.ts'
import { show } from '../../lib/text/show.ts'
import { closeUnpayableOrders } from '../games/open-orders.ts'
import { countRename } from '../games/renames.ts'
import { notifyRenamedDeveloper } from '../games/service.ts'
import { forgetAccount } from './account-cache.ts'
import {
  HIDDEN_TAGS_MAX,
  LABEL_MAX,
  type Me,
  type MePatch,
  type NewPlayerKey,
  PLAYER_KEYS_MAX,
  type PlayerKey,
  type PlayerKeyInput,
} from './model.ts'
import { findOauthClient } from './oauth/oauth-queries.ts'
import { isRegisteredRedirect } from './oauth/redirect-addresses.ts'
import * as queries from './queries.ts'
import { refuseReserved } from './usernames.ts'

export async function getMe(deps: Deps, user: WebsiteUser): Promise<Me> {
  const row = await queries.findUser(deps.db, user.userUid)
  if (!row) throw new AppError('unauthorized')
  return toMe(row)
}

export async function updateMe(deps: Deps, user: WebsiteUser, patch: MePatch): Promise<Me> {
  if (patch.username !== undefined && patch.username !== user.username) {
    refuseReserved(deps, patch.username)
  }
  const values = {
    ...(patch.username === undefined ? {} : { username: patch.username }),
    ...(patch.developer_mode === undefined ? {} : { developerMode: patch.developer_mode }),
    ...(patch.adult_content === undefined ? {} : { adultContent: patch.adult_content }),
    ...(patch.hidden_tags === undefined ? {} : { hiddenTags: readHiddenTags(patch.hidden_tags) }),
  }
  try {
    const row = await deps.db.transaction(async (tx) => {
      if (patch.username !== undefined) await prepareRename(tx, user.userUid, patch.username)
      const updated = await queries.updateUser(tx, user.userUid, values)
      if (patch.adult_content === false) await closeUnpayableOrders(tx, { userUid: user.userUid })
      await forgetAccount(deps, tx, user.userUid)
      return updated
    })
    if (!row) throw new AppError('unauthorized')
    return toMe(row)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const message = 'This username is already taken. Choose another.'
    throw new AppError('taken', { message, data: { issues: [{ path: 'username', message }] } })
  }
}

/** Setting the current name again is not counted as a rename. */
async function prepareRename(tx: Transaction, userUid: string, username: string): Promise<void> {
  await queries.lockName(tx, 'username', username)
  await queries.lockUser(tx, userUid)
  if ((await queries.findUser(tx, userUid))?.username === username) return
  await countRename(tx, userUid)
  await notifyRenamedDeveloper(tx, userUid)
}

export async function listPlayerKeys(deps: Deps, user: WebsiteUser, page: Page): Promise<Paged<PlayerKey>> {
  const [rows, total] = await Promise.all([
    queries.listPlayerKeys(deps.db, user.userUid, page),
    queries.countPlayerKeys(deps.db, user.userUid),
  ])
  return paged(page, rows.map(toPlayerKey), total)
}

/** Returns the key itself, which cannot be read again later. */
export async function createPlayerKey(
  deps: Deps,
  user: WebsiteUser,
  input: PlayerKeyInput,
): Promise<NewPlayerKey> {
  const label = input.label.trim()
  if (label.length === 0 || label.length > LABEL_MAX) {
    throw invalidField('label', `must have 1 to ${LABEL_MAX} characters.`)
  }
  const key = PLAYER_KEY_PREFIX + createSecret()
  const row = await deps.db.transaction(async (tx) => {
    if (!(await queries.holdSession(tx, user.sessionUid))) throw new AppError('unauthorized')
    await queries.lockUser(tx, user.userUid)
    if ((await queries.countPlayerKeys(tx, user.userUid)) >= PLAYER_KEYS_MAX) {
      throw new AppError('taken', {
        message: `You already have ${PLAYER_KEYS_MAX} player keys. Delete one first.`,
      })
    }
    return await queries.insertPlayerKey(tx, {
      userUid: user.userUid,
      label,
      keyHash: sha256Hex(key),
      last4: key.slice(-4),
      scopes: [...(input.scopes ?? ['player:read'])],
    })
  })
  return { ...toPlayerKey(row), key }
}

export async function deletePlayerKey(deps: Deps, user: WebsiteUser, uid: string): Promise<void> {
  if (!isUid(uid)) throw new AppError('not_found')
  await deps.db.transaction(async (tx) => {
    if (!(await queries.deletePlayerKey(tx, user.userUid, uid))) throw new AppError('not_found')
    await forgetAccount(deps, tx, user.userUid)
  })
}

export interface NamedUser {
  uid: string
  username: string
  name: string
  email: string
}

/** The account that the `username` of a body refers to. */
export async function requireUserNamed(db: Db, username: string): Promise<NamedUser> {
  const row = await queries.findUserByName(db, username)
  if (!row)
    throw invalidField('username', `must be the name of an account; there is none called ${show(username)}.`)
  return { uid: row.id, username: row.username, name: row.name, email: row.email }
}

/** For mails; undefined for an account that was deleted. */
export async function findRecipient(
  db: Db,
  uid: string,
): Promise<Pick<NamedUser, 'name' | 'email'> | undefined> {
  const row = await queries.findUser(db, uid)
  return row && { name: row.name, email: row.email }
}

/** The name of a program; null if it is unknown or did not register this redirect address. */
export async function findProgram(deps: Deps, clientId: string, redirect: string): Promise<string | null> {
  const client = await findOauthClient(deps.db, clientId)
  return client && isRegisteredRedirect(client.redirectUris ?? [], redirect)
    ? showProgramName(client.name)
    : null
}

/** Normalises the tags and removes duplicates. */
function readHiddenTags(texts: readonly string[]): string[] {
  const tags = [...new Set(texts.map(normalizeSlug))]
  const unfit = tags.find((tag) => !isSlug(tag))
  if (unfit !== undefined) {
    throw invalidField(
      'hidden_tags',
      `must be words of a-z, 0-9 and -, each of at most ${SLUG_MAX} characters; ${show(unfit)} is none.`,
    )
  }
  if (tags.length > HIDDEN_TAGS_MAX) {
    throw invalidField('hidden_tags', `must have at most ${HIDDEN_TAGS_MAX} entries.`)
  }
  return tags
}

function toMe(row: queries.UserRow): Me {
  return {
    uid: row.id,
    username: row.username,
    email: row.email,
    email_verified: row.emailVerified,
    developer_mode: row.developerMode,
    adult_content: row.adultContent,
    hidden_tags: row.hiddenTags,
    extstore_id: row.extstoreId,
  }
}

function toPlayerKey(row: queries.PlayerKeyRow): PlayerKey {
  return {
    uid: row.uid,
    label: row.label,
    last4: row.last4,
    scopes: row.scopes,
    created_at: row.createdAt.toISOString(),
    last_used_at: row.lastUsedAt?.toISOString() ?? null,
  }
}
