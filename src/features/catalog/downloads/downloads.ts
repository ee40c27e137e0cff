import type { Deps } from '../../../deps.ts'
import { coalesce } from '../../../lib/coalesce.ts'
import { type DownloadLog, openDownloadLog } from './log.ts'
import { listOffers, type Offer } from './queries.ts'

/** A busy process reads so often at most; one that is not busy reads at once. */
const READS_APART_MS = 5

/** What the downloads of one process share. */
export interface Downloads {
  deps: Deps
  log: DownloadLog
  /** Requests that come together are answered by one query. */
  findOffer(fileUid: string): Promise<Offer | undefined>
}

export function createDownloads(deps: Deps): Downloads {
  const findOffer = coalesce(async (fileUids) => {
    const offers = await listOffers(deps.db, fileUids)
    return new Map(offers.map((offer) => [offer.fileUid, offer]))
  }, READS_APART_MS)
  return { deps, log: openDownloadLog(deps), findOffer }
}
