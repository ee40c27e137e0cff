import { sweepCredentials } from '../features/accounts/jobs.ts'
import { accountHandlers } from '../features/accounts/worker.ts'
import { deliverWebhooks, sweepDeliveries } from '../features/bugs/webhooks/jobs.ts'
import { webhookHandlers } from '../features/bugs/webhooks/worker.ts'
import { recordContents } from '../features/builds/contents/jobs.ts'
import { contentsHandlers } from '../features/builds/contents/worker.ts'
import { sweepPublisherKeys } from '../features/builds/publishers/jobs.ts'
import { publisherHandlers } from '../features/builds/publishers/worker.ts'
import { scanFile } from '../features/builds/scans/jobs.ts'
import { scanHandlers } from '../features/builds/scans/worker.ts'
import { sweepDownloads } from '../features/catalog/downloads/jobs.ts'
import { downloadHandlers } from '../features/catalog/downloads/worker.ts'
import { mirrorSearch, rebuildSearch } from '../features/catalog/search/jobs.ts'
import { searchHandlers } from '../features/catalog/search/worker.ts'
import { fillShelves } from '../features/catalog/shelves/jobs.ts'
import { shelfHandlers } from '../features/catalog/shelves/worker.ts'
import { sweepNonces } from '../features/extstore/account/jobs.ts'
import { extstoreAccountHandlers } from '../features/extstore/account/worker.ts'
import { sweepSessions } from '../features/extstore/sign-in/jobs.ts'
import { signInHandlers } from '../features/extstore/sign-in/worker.ts'
import { endCheckout, indexListings } from '../features/games/jobs.ts'
import { announceWaiting, enforceGrace } from '../features/listings/page/jobs.ts'
import { listingHandlers } from '../features/listings/page/worker.ts'
import { sendMail } from '../features/mail/jobs.ts'
import { mailHandlers } from '../features/mail/worker.ts'
import { publicationHandlers } from '../features/operate/publications/worker.ts'
import { sweepPlayTickets } from '../features/play/access/jobs.ts'
import { playHandlers } from '../features/play/access/worker.ts'
import {
  reconcileOrders,
  refundUndelivered,
  settleOrders,
  settleShare,
  tellRefunds,
} from '../features/selling/orders/jobs.ts'
import { orderHandlers } from '../features/selling/orders/worker.ts'
import { syncPayouts } from '../features/selling/payouts/jobs.ts'
import { payoutHandlers } from '../features/selling/payouts/worker.ts'
import { makeRefund } from '../features/selling/refunds/jobs.ts'
import { refundHandlers } from '../features/selling/refunds/worker.ts'
import { sweepEvents, takeInMissedEvents } from '../features/selling/webhooks/jobs.ts'
import { stripeEventHandlers } from '../features/selling/webhooks/worker.ts'
import { deleteObjects, moveObjects, reclaimStorage } from '../features/storage/jobs.ts'
import { storageHandlers } from '../features/storage/worker.ts'
import { findUnsymbolicated, sweepCrashes, symbolicateGame } from '../features/telemetry/crashes/jobs.ts'
import { crashHandlers } from '../features/telemetry/crashes/worker.ts'
import { compactSessions, rateBuild } from '../features/telemetry/health/jobs.ts'
import { healthHandlers } from '../features/telemetry/health/worker.ts'
import { rotatePartitions } from '../features/telemetry/ingest/jobs.ts'
import { ingestHandlers } from '../features/telemetry/ingest/worker.ts'
import type { Job } from '../jobs/define.ts'
import { type BoundHandler, checkHandlers } from '../jobs/handler.ts'

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
  rotatePartitions,
  rateBuild,
  compactSessions,
  findUnsymbolicated,
  symbolicateGame,
  sweepCrashes,
  fillShelves,
  sweepSessions,
  sweepNonces,
  deliverWebhooks,
  sweepDeliveries,
  sweepPlayTickets,
  syncPayouts,
  settleOrders,
  reconcileOrders,
  endCheckout,
  refundUndelivered,
  settleShare,
  tellRefunds,
  makeRefund,
  sweepEvents,
  takeInMissedEvents,
]
const HANDLERS: readonly BoundHandler[] = [
  ...mailHandlers,
  ...scanHandlers,
  ...contentsHandlers,
  ...publisherHandlers,
  ...accountHandlers,
  ...listingHandlers,
  ...publicationHandlers,
  ...downloadHandlers,
  ...storageHandlers,
  ...searchHandlers,
  ...ingestHandlers,
  ...healthHandlers,
  ...crashHandlers,
  ...shelfHandlers,
  ...signInHandlers,
  ...extstoreAccountHandlers,
  ...webhookHandlers,
  ...playHandlers,
  ...payoutHandlers,
  ...orderHandlers,
  ...refundHandlers,
  ...stripeEventHandlers,
]

/** Every job with its handler; throws when a job and the handlers do not match. */
export function loadHandlers(): readonly BoundHandler[] {
  checkHandlers(JOBS, HANDLERS)
  return HANDLERS
}
