import { encryptionContext } from '../../../db/reencrypt.ts'
import type { Deps } from '../../../deps.ts'
import { type ShownPerson, toPerson } from '../../../domain/actor.ts'
import { AppError } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createSecret } from '../../../lib/ids.ts'
import * as queries from './queries.ts'

type Services = Pick<Deps, 'db' | 'keyring' | 'config'>

/** The path of the page that shows this wishlist to everyone who knows it; null while it is not shared. */
export async function findShareUrl(
  { db, keyring, config }: Services,
  userUid: string,
): Promise<string | null> {
  const share = await queries.findShare(db, userUid)
  if (!share) return null
  return `${config.baseUrl}/wishlist/${keyring.decrypt(share.token, encryptionContext.wishlistShare(userUid))}`
}

/** A wishlist that is shared keeps its address. */
export async function shareWishlist({ db, keyring }: Services, userUid: string): Promise<void> {
  const token = createSecret()
  const encrypted = keyring.encrypt(token, encryptionContext.wishlistShare(userUid))
  await queries.insertShare(db, { userUid, tokenHash: sha256Hex(token), token: encrypted })
}

/** The address stops working at once. */
export async function stopSharing({ db }: Services, userUid: string): Promise<void> {
  await queries.deleteShare(db, userUid)
}

/** Whose wishlist it is. All wrong tokens get the same answer. */
export async function openShared(
  { db, config }: Services,
  token: string,
): Promise<{ uid: string; person: ShownPerson }> {
  const found = await queries.findSharer(db, sha256Hex(token))
  if (!found) throw new AppError('not_found')
  return { uid: found.uid, person: toPerson(config.baseUrl, found) }
}
