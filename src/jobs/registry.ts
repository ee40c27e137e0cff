import { sweepCredentials } from '../features/accounts/jobs.ts'
import { accountHandlers } from '../features/accounts/worker.ts'
import { sweepCrashes, symbolicateCrashes } from '../features/crashes/jobs.ts'
import { crashHandlers } from '../features/crashes/worker.ts'
import { sweepDownloads } from '../features/downloads/jobs.ts'
import { downloadHandlers } from '../features/downloads/worker.ts'
import { sweepNonces } from '../features/extstore-account/jobs.ts'
import { extstoreAccountHandlers } from '../features/extstore-account/worker.ts'
import { sweepSessions } from '../features/extstore-sign-in/jobs.ts'
import { signInHandlers } from '../features/extstore-sign-in/worker.ts'
import { indexListings } from '../features/game-access/jobs.ts'
import { foldSessions, judgeBuild } from '../features/health/jobs.ts'
import { healthHandlers } from '../features/health/worker.ts'
import { turnPartitions } from '../features/ingest/jobs.ts'
import { ingestHandlers } from '../features/ingest/worker.ts'
import { followGrace } from '../features/listings/jobs.ts'
import { listingHandlers } from '../features/listings/worker.ts'
import { sendMail } from '../features/mail/jobs.ts'
import { mailHandlers } from '../features/mail/worker.ts'
import { scanFile } from '../features/scans/jobs.ts'
import { scanHandlers } from '../features/scans/worker.ts'
import { mirrorSearch } from '../features/search/jobs.ts'
import { searchHandlers } from '../features/search/worker.ts'
import { fillShelves } from '../features/shelves/jobs.ts'
import { shelfHandlers } from '../features/shelves/worker.ts'
import { deleteObjects, reclaimStorage } from '../features/storage/jobs.ts'
import { storageHandlers } from '../features/storage/worker.ts'
import type { Job } from './define.ts'
import { type BoundHandler, checkHandlers } from './handler.ts'

const JOBS: readonly Job<object>[] = [
  sendMail,
  sweepCredentials,
  followGrace,
  sweepDownloads,
  deleteObjects,
  reclaimStorage,
  scanFile,
  indexListings,
  mirrorSearch,
  turnPartitions,
  judgeBuild,
  foldSessions,
  symbolicateCrashes,
  sweepCrashes,
  fillShelves,
  sweepSessions,
  sweepNonces,
]
const HANDLERS: readonly BoundHandler[] = [
  ...mailHandlers,
  ...scanHandlers,
  ...accountHandlers,
  ...listingHandlers,
  ...downloadHandlers,
  ...storageHandlers,
  ...searchHandlers,
  ...ingestHandlers,
  ...healthHandlers,
  ...crashHandlers,
  ...shelfHandlers,
  ...signInHandlers,
  ...extstoreAccountHandlers,
]

/** All jobs with who does them; throws when the two lists do not fit. */
export function loadHandlers(): readonly BoundHandler[] {
  checkHandlers(JOBS, HANDLERS)
  return HANDLERS
}
