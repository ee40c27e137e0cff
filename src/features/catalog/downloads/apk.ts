import { posix } from 'node:path'

import type { LinkClaims } from '../../../clients/objects/folder/link-signer.ts'
import { AppError } from '../../../errors.ts'
import { DEFLATED } from '../../builds/contents/model.ts'
import { findOnlyApk } from '../../builds/contents/service.ts'
import type { DownloadLink, DownloadQuery } from './model.ts'
import type { Downloads } from './service.ts'

const APK_TYPE = 'application/vnd.android.package-archive'

/** Below the path of links to objects. */
const keyOf = (fileUid: string) => `apk/${fileUid}`

/** Returns a link to the file, or to the only .apk inside it; both have the same access rules. */
export async function inForm(
  { deps, apkSigner }: Downloads,
  { as }: DownloadQuery,
  fileUid: string,
  linked: Promise<DownloadLink>,
): Promise<DownloadLink> {
  const link = await linked
  if (as !== 'apk') return link
  const apk = await findOnlyApk(deps.db, { uid: fileUid, gameUid: link.game_uid })
  if (!apk) {
    const message = 'This file has no .apk inside, or several. Download it as a whole.'
    throw new AppError('not_found', { message })
  }
  const filename = posix.basename(apk.path)
  const signed = apkSigner.sign(keyOf(fileUid), { filename, contentType: APK_TYPE })
  return { ...link, ...signed, filename, checksum: apk.sha256 }
}

/** What a link leads to: the entry of the stored zip. */
export async function openApk(
  { deps, apkSigner, findOffer }: Downloads,
  fileUid: string,
  query: Readonly<Record<string, string | undefined>>,
) {
  const claims: LinkClaims = apkSigner.verify(keyOf(fileUid), query)
  const offer = await findOffer(fileUid)
  const apk =
    offer?.scan === 'clean' ? await findOnlyApk(deps.db, { uid: fileUid, gameUid: offer.gameUid }) : null
  if (!offer || !apk) throw new AppError('not_found')
  return {
    ...claims,
    objectKey: offer.objectKey,
    entry: { ...apk, isDeflated: apk.method === DEFLATED },
  }
}
