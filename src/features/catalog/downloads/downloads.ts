import { createLinkSigner, type LinkSigner } from '../../../clients/object-store/folder/link-signer.ts'
import type { Deps } from '../../../deps.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import { type DownloadLog, openDownloadLog } from './log.ts'
import { listOffers, type Offer } from './queries.ts'

/** The minimum time between two reads under load; an idle process reads immediately. */
const READS_APART_MS = 5

/** State that the downloads of one process share. */
export interface Downloads {
  deps: Deps
  log: DownloadLog
  /** Concurrent requests are batched into one query. */
  findOffer(fileUid: string): Promise<Offer | undefined>
  /** Of links to a package inside a file. */
  apkSigner: LinkSigner
}

export function createDownloads(deps: Deps): Downloads {
  const findOffer = coalesce(async (fileUids) => {
    const offers = await listOffers(deps.db, fileUids)
    return new Map(offers.map((offer) => [offer.fileUid, offer]))
  }, READS_APART_MS)
  const [signing = '', ...previous] = deps.keyring.derive('apk links')
  const apkSigner = createLinkSigner(deps.config.baseUrl, { signing, previous })
  return { deps, log: openDownloadLog(deps), findOffer, apkSigner }
}
