import type { Db, Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import {
  DISPLAY_NAME_MAX,
  LINK_LABEL_MAX,
  PERSON_IMAGES,
  type PersonImage,
  type ProfileLink,
} from '../../../domain/actor.ts'
import { mediaUrl } from '../../../domain/site-urls.ts'
import { AppError, invalidField, invalidFields, type Issue, issueAt } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { isHttpsUrl, LINK_MAX } from '../../../lib/net/urls.ts'
import { describeName, parseName } from '../../../lib/text/names.ts'
import { skeletonOf } from '../../../lib/text/skeleton.ts'
import { notifyPagesShowing, notifyRenamedDeveloper, openGame } from '../../games/service.ts'
import { discardObjects } from '../../storage/service.ts'
import { forgetAccount } from '../account-cache.ts'
import { lockUser, updateUser } from '../queries.ts'
import { noteLookAlike } from './look-alikes.ts'
import type { ProfileInput } from './model.ts'
import { findProfile, type ProfileValues, replaceImageKey, saveProfile } from './queries.ts'

interface Profile {
  bio: string
  links: ProfileLink[]
  /** The uid of a listing, which may have become hidden since it was chosen. */
  featured: string | null
  banner: string | null
}

export const EMPTY_PROFILE: Profile = { bio: '', links: [], featured: null, banner: null }

export async function loadProfile(db: Db, baseUrl: string, userUid: string): Promise<Profile> {
  const row = await findProfile(db, userUid)
  if (!row) return EMPTY_PROFILE
  const { bio, links, featuredUid: featured, bannerKey } = row
  return { bio, links, featured, banner: bannerKey && mediaUrl(baseUrl, bannerKey) }
}

/** Sets or removes an image. The caller has claimed the object of the new one. */
export async function replaceImage(
  deps: Deps,
  tx: Transaction,
  userUid: string,
  kind: PersonImage,
  key: string | null,
): Promise<void> {
  await lockUser(tx, userUid)
  const before = await replaceImageKey(tx, userUid, kind, key)
  if (before === key) return
  if (before !== null) await discardObjects(tx, { keys: [before] })
  if (kind === 'picture') await notifyPagesShowing(tx, userUid)
  await forgetAccount(deps, tx, userUid)
}

/** Takes names, pictures, text and links back to what an account starts with; the username stays. */
export async function clearProfile(deps: Deps, tx: Transaction, userUid: string): Promise<void> {
  for (const kind of PERSON_IMAGES) await replaceImage(deps, tx, userUid, kind, null)
  await saveProfile(tx, userUid, { bio: '', links: [], featuredUid: null })
  await updateUser(tx, userUid, { displayName: null, nameSkeleton: null })
  await noteLookAlike(deps, tx, userUid)
  await notifyRenamedDeveloper(tx, userUid)
  await forgetAccount(deps, tx, userUid)
}

/** The name to store: null for the username, so that it follows a change of that. Undefined stays. */
export function parseDisplayName(
  sent: string | null | undefined,
  username: string,
): string | null | undefined {
  if (sent === undefined || sent === null) return sent
  const name = parseName(sent, DISPLAY_NAME_MAX)
  if (name === null) throw invalidField('display_name', `must be ${describeName(DISPLAY_NAME_MAX)}.`)
  return name === username ? null : name
}

/** The display name of a new account: the name that was typed, unless it is too long or the username. */
export function firstNames(
  typed: string,
  username: string,
): { displayName: string | null; nameSkeleton: string | null } {
  const name = parseName(typed, DISPLAY_NAME_MAX)
  const displayName = name === username ? null : name
  return { displayName, nameSkeleton: displayName && skeletonOf(displayName) }
}

/** The values to store of what was sent; undefined where none of it was. */
export async function parseProfile(
  db: Db,
  userUid: string,
  { bio, links, featured }: ProfileInput,
): Promise<ProfileValues | undefined> {
  if (bio === undefined && links === undefined && featured === undefined) return undefined
  return {
    ...(bio !== undefined && { bio: bio?.trim() ?? '' }),
    ...(links !== undefined && { links: parseLinks(links ?? []) }),
    ...(featured !== undefined && {
      featuredUid: featured && (await requireOwnListing(db, userUid, featured)),
    }),
  }
}

function parseLinks(links: readonly ProfileLink[]): ProfileLink[] {
  const issues: Issue[] = []
  const parsed = links.map(({ label, url }, index) => {
    const name = parseName(label, LINK_LABEL_MAX)
    if (name === null)
      issues.push(issueAt(`links.${index}.label`, `must be ${describeName(LINK_LABEL_MAX)}.`))
    if (!isHttpsUrl(url, LINK_MAX))
      issues.push(issueAt(`links.${index}.url`, `must be an https link of at most ${LINK_MAX} characters.`))
    return { label: name ?? '', url }
  })
  if (issues.length > 0) throw invalidFields(issues)
  return parsed
}

const FEATURED_FAULT = 'must be the uid of a public listing that you own.'

async function requireOwnListing(db: Db, userUid: string, uid: string): Promise<string> {
  const access = isUid(uid) ? await findOwn(db, userUid, uid) : null
  if (access?.visibility !== 'public') throw invalidField('featured', FEATURED_FAULT)
  return access.uid
}

/** Someone else's listing and a missing one are the same fault. */
async function findOwn(db: Db, userUid: string, uid: string) {
  try {
    return (await openGame(db, { userUid }, uid, 'own')).game
  } catch (error) {
    if (error instanceof AppError) return null
    throw error
  }
}
