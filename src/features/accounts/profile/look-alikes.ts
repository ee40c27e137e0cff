import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { skeletonOf } from '../../../lib/text/skeleton.ts'
import { findUser } from '../queries.ts'
import { listStoreNames } from '../usernames.ts'
import { deleteLookAlike, findLookedLike, saveLookAlike } from './look-alike-queries.ts'

/** Shorter ones are shared by too many names. */
const SKELETON_MIN = 2
/** A name that contains the store's is taken for the store from this length on. */
const CONTAINED_MIN = 5

/** Call with the transaction of every new name. Tells the operators if it looks like another's. */
export async function noteLookAlike(deps: Deps, tx: Db, userUid: string): Promise<void> {
  const user = await findUser(tx, userUid)
  if (!user) return
  const name = user.displayName ?? user.username
  const skeletons = [skeletonOf(name), skeletonOf(user.username)].filter(
    (text) => text.length >= SKELETON_MIN,
  )
  const otherUid = skeletons.some((text) => looksLikeStore(deps, text))
    ? null
    : await findLookedLike(tx, userUid, skeletons)
  if (otherUid === undefined) await deleteLookAlike(tx, userUid)
  else await saveLookAlike(tx, { userUid, name, otherUid })
}

function looksLikeStore(deps: Deps, skeleton: string): boolean {
  const { own, reserved } = listStoreNames(deps)
  const store = skeletonOf(own)
  return (
    reserved.some((name) => skeletonOf(name) === skeleton) ||
    (store.length >= CONTAINED_MIN && skeleton.includes(store))
  )
}
