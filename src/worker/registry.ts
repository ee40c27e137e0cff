import { sweepCredentials } from '../features/accounts/jobs.ts'
import { deliverWebhook, sweepDeliveries } from '../features/bugs/webhooks/jobs.ts'
import { recordContents } from '../features/builds/contents/jobs.ts'
import { sweepPublisherKeys } from '../features/builds/publishers/jobs.ts'
import { scanFile } from '../features/builds/scans/jobs.ts'
import { fillShelves, sweepDownloads } from '../features/catalog/jobs.ts'
import {
  countPopularity,
  mirrorSearch,
  pruneMisses,
  rebuildSearch,
  searchHandlers,
} from '../features/catalog/search/jobs.ts'
import {
  digestHandlers,
  recordDigests,
  scheduleDigests,
  sendAtOnce,
  sendDigests,
  sweepMails,
} from '../features/community/digests/jobs.ts'
import { publishScheduled, sweepNotices } from '../features/community/jobs.ts'
import { sweepNonces, sweepSessions } from '../features/extstore/jobs.ts'
import { endCheckout, indexListings, mailAtOnce } from '../features/games/jobs.ts'
import { announceJams, computeJams, pinVersions } from '../features/jams/jobs.ts'
import { announceWaiting, enforceGrace } from '../features/listings/page/jobs.ts'
import { sendMail } from '../features/mail/jobs.ts'
import { publicationHandlers } from '../features/operate/moderation/jobs.ts'
import { sweepPlayTickets } from '../features/play/access/jobs.ts'
import { thinSaves } from '../features/saves/clean-up/jobs.ts'
import {
  makeRefund,
  orderHandlers,
  reconcileOrders,
  refundUndelivered,
  sendRefundMail,
  settleOrders,
  settleSellerShare,
} from '../features/selling/orders/jobs.ts'
import { syncPayouts } from '../features/selling/payouts/jobs.ts'
import { fetchMissed, sweepEvents } from '../features/selling/webhooks/jobs.ts'
import { deleteObjects, moveObjects, reclaimStorage } from '../features/storage/jobs.ts'
import {
  compactSessions,
  findUnsymbolicated,
  rateBuild,
  rotatePartitions,
  sweepCrashes,
  symbolicateGame,
} from '../features/telemetry/jobs.ts'
import { type BoundHandler, checkHandlers, handleJob, type Job } from '../jobs/define.ts'

const JOBS: readonly Job<object>[] = [
  sendMail,
  sweepCredentials,
  enforceGrace,
  announceWaiting,
  sweepDownloads,
  deleteObjects,
  moveObjects,
  reclaimStorage,
  scanFile,
  recordContents,
  sweepPublisherKeys,
  indexListings,
  mirrorSearch,
  rebuildSearch,
  countPopularity,
  pruneMisses,
  rotatePartitions,
  rateBuild,
  compactSessions,
  findUnsymbolicated,
  symbolicateGame,
  sweepCrashes,
  fillShelves,
  sweepSessions,
  sweepNonces,
  publishScheduled,
  announceJams,
  computeJams,
  pinVersions,
  sweepNotices,
  mailAtOnce,
  recordDigests,
  scheduleDigests,
  sendDigests,
  sendAtOnce,
  sweepMails,
  deliverWebhook,
  sweepDeliveries,
  sweepPlayTickets,
  thinSaves,
  syncPayouts,
  settleOrders,
  reconcileOrders,
  endCheckout,
  refundUndelivered,
  settleSellerShare,
  sendRefundMail,
  makeRefund,
  sweepEvents,
  fetchMissed,
]
/** Handlers of jobs that a lower area declares. */
const HANDLERS: readonly BoundHandler[] = [
  ...searchHandlers,
  ...publicationHandlers,
  ...orderHandlers,
  ...digestHandlers,
]

/** Every job with its handler; throws when one has none or two. */
export function loadHandlers(): readonly BoundHandler[] {
  const own = JOBS.flatMap((job) => (job.run ? [handleJob(job, job.run)] : []))
  const all = [...own, ...HANDLERS]
  checkHandlers(JOBS, all)
  return all
}
