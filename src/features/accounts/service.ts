import type { Db, Transaction } from '../../db/client.ts'
import { isUniqueViolation } from '../../db/errors.ts'
import type { Deps } from '../../deps.ts'
import { PLAYER_KEY_PREFIX, toPerson, type WebsiteUser } from '../../domain/actor.ts'
import { isSlug, normalizeSlug, SLUG_MAX } from '../../domain/listings/slugs.ts'
import { AppError, invalidField, invalidFields } from '../../errors.ts'
import { sha256Hex } from '../../lib/bytes/hash.ts'
import { createSecret, isUid } from '../../lib/ids.ts'
import { mapPage, type Page, type Paged } from '../../lib/paging.ts'
import { respond } from '../../lib/respond.ts'
import { show } from '../../lib/text/show.ts'
import { skeletonOf } from '../../lib/text/skeleton.ts'
import { closeUnpayableOrders } from '../games/open-orders.ts'
import { countRename, notifyRenamedDeveloper } from '../games/service.ts'
import { forgetAccount } from './account-cache.ts'
import {
  HIDDEN_TAGS_MAX,
  LABEL_MAX,
  Me,
  type MePatch,
  NewPlayerKey,
  PLAYER_KEYS_MAX,
  PlayerKey,
  type PlayerKeyInput,
} from './model.ts'
import { noteLookAlike } from './profile/look-alikes.ts'
import { saveProfile } from './profile/queries.ts'
import { loadProfile, parseDisplayName, parseProfile } from './profile/service.ts'
import * as queries from './queries.ts'
import { refuseReserved } from './usernames.ts'

export async function getMe(deps: Deps, user: WebsiteUser): Promise<Me> {
  const row = await queries.findUser(deps.db, user.userUid)
  if (!row) throw new AppError('unauthorized')
  return await toMe(deps, row)
}

async function toMe({ db, config: { baseUrl } }: Deps, row: queries.UserRow): Promise<Me> {
  const person = toPerson(baseUrl, { ...row, displayName: row.displayName ?? row.username })
  return respond(Me, row, { uid: row.id, ...person, ...(await loadProfile(db, baseUrl, row.id)) })
}

export async function updateMe(deps: Deps, user: WebsiteUser, patch: MePatch): Promise<Me> {
  if (patch.username !== undefined && patch.username !== user.username) {
    refuseReserved(deps, patch.username)
  }
  const { username, developer_mode: developerMode, adult_content: adultContent, hidden_tags } = patch
  const displayName = parseDisplayName(patch.display_name, username ?? user.username)
  const values = {
    username,
    displayName,
    nameSkeleton: displayName && skeletonOf(displayName),
    developerMode,
    adultContent,
    hiddenTags: hidden_tags && parseHiddenTags(hidden_tags),
    followLibrary: patch.follow_library,
  }
  try {
    const row = await deps.db.transaction(async (tx) => {
      const names = { username, displayName }
      if (username !== undefined || displayName !== undefined) await prepareRename(tx, user.userUid, names)
      const profile = await parseProfile(tx, user.userUid, patch)
      if (profile) await saveProfile(tx, user.userUid, profile)
      const updated = await queries.updateUser(tx, user.userUid, values)
      if (username !== undefined || displayName !== undefined) await noteLookAlike(deps, tx, user.userUid)
      if (patch.adult_content === false) await closeUnpayableOrders(tx, { userUid: user.userUid })
      await forgetAccount(deps, tx, user.userUid)
      return updated
    })
    if (!row) throw new AppError('unauthorized')
    return await toMe(deps, row)
  } catch (error) {
    if (!isUniqueViolation(error)) throw error
    const message = 'This username is already taken. Choose another.'
    throw invalidFields([{ path: 'username', message }], { kind: 'taken' })
  }
}

interface NewNames {
  username: string | undefined
  displayName: string | null | undefined
}

/** Setting the current name again is not counted as a rename. */
async function prepareRename(
  tx: Transaction,
  userUid: string,
  { username, displayName }: NewNames,
): Promise<void> {
  if (username !== undefined) await queries.lockName(tx, 'username', username)
  await queries.lockUser(tx, userUid)
  const before = await queries.findUser(tx, userUid)
  const isSame = (name: string | null | undefined, known: string | null | undefined) =>
    name === undefined || name === known
  if (isSame(username, before?.username) && isSame(displayName, before?.displayName)) return
  await countRename(tx, userUid)
  await notifyRenamedDeveloper(tx, userUid)
}

export async function listPlayerKeys(deps: Deps, user: WebsiteUser, page: Page): Promise<Paged<PlayerKey>> {
  const keys = await queries.listPlayerKeys(deps.db, user.userUid, page)
  return mapPage(keys, (row) => respond(PlayerKey, row))
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
    if (!(await queries.lockSession(tx, user.sessionUid))) throw new AppError('unauthorized')
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
  return respond(NewPlayerKey, row, { key })
}

export async function deletePlayerKey(deps: Deps, user: WebsiteUser, uid: string): Promise<void> {
  if (!isUid(uid)) throw new AppError('not_found')
  await deps.db.transaction(async (tx) => {
    if (!(await queries.deletePlayerKey(tx, user.userUid, uid))) throw new AppError('not_found')
    await forgetAccount(deps, tx, user.userUid)
  })
}

interface NamedUser {
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

/** Normalises the tags and removes duplicates. */
function parseHiddenTags(texts: readonly string[]): string[] {
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
