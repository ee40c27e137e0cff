import { createLinkSigner, type LinkSigner } from '../../../clients/objects/folder/link-signer.ts'
import type { Deps } from '../../../deps.ts'
import type { DownloadSource } from '../../../domain/builds/files.ts'
import { AppError } from '../../../errors.ts'
import { BatchWriter } from '../../../lib/flow/batches.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import { isUid } from '../../../lib/ids.ts'
import { type Client, parseClient } from '../../../lib/text/user-agent.ts'
import { type DownloadEvent, insertEvents, listOffers, type Offer } from './queries.ts'

const GATHER_MS = 250
const BATCH = 500
/** Attempts held back while the database is unreachable; the overflow is dropped and counted. */
const HELD_MAX = 20_000
/** How long closing waits for an unreachable database. */
const CLOSE_MS = 5000

export interface DownloadLog {
  /** Does not delay the response: the attempt is written a moment later. */
  add(event: DownloadEvent): void
  /** Settles when everything added so far was written or will be retried. */
  flush(): Promise<void>
}

/** One log per process. Buffered attempts are written before the database is closed. */
export function openDownloadLog(deps: Pick<Deps, 'db' | 'log' | 'onDispose'>): DownloadLog {
  const log = deps.log.child({ component: 'downloads' })
  let dropped = 0
  const writer = new BatchWriter<DownloadEvent>({
    gatherMs: GATHER_MS,
    maxBatchSize: BATCH,
    maxHeldSize: HELD_MAX,
    async write(events) {
      try {
        await insertEvents(deps.db, events)
      } catch (error) {
        const held = writer.heldSize
        log.warn('Download attempts could not be written; they are retried', { held, error })
        throw error
      }
      reportLost(dropped)
      dropped = 0
    },
  })

  function reportLost(lost: number): void {
    if (lost > 0) log.error('Download attempts were lost', { lost })
  }

  deps.onDispose(async () => {
    await writer.close(CLOSE_MS)
    reportLost(dropped + writer.heldSize)
  })
  return {
    add(event) {
      if (!writer.add(event)) dropped += 1
    },
    flush: () => writer.flush(),
  }
}

interface Attempt {
  source: DownloadSource
  fileUid: string
  visit: Visit
}

const DONE = 200

/** Records the attempt, whether it returned a link or was refused. */
export async function recordAttempt<Result>(
  log: DownloadLog,
  attempt: Attempt,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    const result = await work()
    log.add(describeAttempt(attempt, DONE))
    return result
  } catch (error) {
    log.add(describeAttempt(attempt, (error instanceof AppError ? error : new AppError('internal')).code))
    throw error
  }
}

export function describeAttempt({ source, fileUid, visit }: Attempt, outcome: number) {
  return { at: new Date(), fileUid: isUid(fileUid) ? fileUid : null, source, ...visit, outcome }
}

/** What is stored about a download's client: nothing that identifies a person. */
interface Visit {
  client: Client
  /** Two-letter country code. */
  country: string | null
}

const COUNTRY = /^[A-Z]{2}$/
/** The code that proxies send for an unknown country. */
const UNKNOWN_COUNTRY = 'XX'

/** `countryHeader` is set by a trusted proxy; null without one. */
export function parseVisit(headers: Headers, countryHeader: string | null): Visit {
  const country = countryHeader === null ? '' : (headers.get(countryHeader)?.trim().toUpperCase() ?? '')
  return {
    client: parseClient(headers.get('user-agent')),
    country: COUNTRY.test(country) && country !== UNKNOWN_COUNTRY ? country : null,
  }
}

/** The minimum time between two reads under load; an idle process reads immediately. */
const READS_APART_MS = 5

/** State that the downloads of one process share. */
export interface Downloads {
  deps: Deps
  log: DownloadLog
  /** Concurrent requests are batched into one query. */
  findOffer(fileUid: string): Promise<Offer | undefined>
  /** Signs links to a package inside a file. */
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
