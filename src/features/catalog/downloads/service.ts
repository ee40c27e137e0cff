import { createLinkSigner, type LinkSigner } from '../../../clients/objects/folder/link-signer.ts'
import { LINK_SECONDS } from '../../../clients/objects/object-store.ts'
import type { Deps } from '../../../deps.ts'
import type { Anonymous, Player, WebsiteUser } from '../../../domain/actor.ts'
import { BETA, DEV, STABLE } from '../../../domain/builds/channels.ts'
import type { DownloadSource } from '../../../domain/builds/files.ts'
import { entitlement, type EntitlementFacts, refusalError } from '../../../domain/listings/entitlement.ts'
import { AppError } from '../../../errors.ts'
import { BatchWriter } from '../../../lib/flow/batches.ts'
import { coalesce } from '../../../lib/flow/coalesce.ts'
import { isUid } from '../../../lib/ids.ts'
import { findEntitlementFacts } from '../../community/library/service.ts'
import { refuseTakenDown } from '../../games/service.ts'
import type { DownloadLink } from './model.ts'
import {
  type DownloadEvent,
  findJamRight,
  insertEvents,
  listOffers,
  type Offer,
  recordJamDownload,
} from './queries.ts'

type Visitor = Anonymous | Player | WebsiteUser

const NOBODY: Anonymous = { kind: 'anonymous' }

/** Without an account: stable files of free listings with anonymous downloads on. */
export async function linkForAnyone(downloads: Downloads, fileUid: string): Promise<DownloadLink> {
  return await signLink(downloads.deps, await openFor(downloads, NOBODY, fileUid))
}

/**
 * For editors: files that anyone may download and, for players, those their licences cover; never adult
 * files.
 */
export async function linkForVisitor(
  downloads: Downloads,
  visitor: Anonymous | Player,
  fileUid: string,
): Promise<DownloadLink> {
  const offer = await openOffer(downloads, fileUid)
  if (offer.adult || !channelsOf(offer).includes(STABLE)) throw new AppError('not_found')
  return await signLink(downloads.deps, await openFor(downloads, visitor, fileUid))
}

/**
 * With an account: all clean files for owner and admins; for players those that their licence covers. Files
 * of a page that was taken down are for operators only.
 */
export async function linkForUser(
  downloads: Downloads,
  user: WebsiteUser,
  ref: string,
  fileUid: string,
): Promise<DownloadLink> {
  const offer = await openFor(downloads, user, fileUid)
  const isNamed = ref === offer.vanityName || ref.toLowerCase() === offer.gameUid
  if (!isNamed) throw new AppError('not_found')
  return await signFor(downloads.deps, user, offer)
}

/** For launchers: files that anyone may download and, for players, those the website would give them. */
export async function openForInstaller(
  downloads: Downloads,
  visitor: Anonymous | Player,
  fileUid: string,
): Promise<Offer> {
  return requireClean(await openFor(downloads, visitor, fileUid))
}

export async function linkForInstaller(
  downloads: Downloads,
  visitor: Anonymous | Player,
  fileUid: string,
): Promise<DownloadLink> {
  return await signFor(downloads.deps, visitor, await openForInstaller(downloads, visitor, fileUid))
}

/** Voters in a jam may have to fetch its version before they rate it. */
async function signFor(deps: Deps, visitor: Visitor, offer: Offer): Promise<DownloadLink> {
  const link = await signLink(deps, offer)
  if (offer.isPinned && 'userUid' in visitor) await recordJamDownload(deps.db, offer.fileUid, visitor.userUid)
  return link
}

async function openFor(downloads: Downloads, visitor: Visitor, fileUid: string): Promise<Offer> {
  const { db, config } = downloads.deps
  const offer = await openOffer(downloads, fileUid)
  const person = visitor.kind === 'anonymous' ? null : await findEntitlementFacts(db, visitor, offer.gameUid)
  const isOperator = visitor.kind === 'user' && visitor.isOperator
  if (offer.takenDown && isOperator) return offer
  const userUid = 'userUid' in visitor ? visitor.userUid : null
  const jam = offer.isPinned ? await findJamRight(db, offer.fileUid, userUid) : null
  const facts = { ...factsOf(offer, visitor), person, jam }
  const refusal = entitlement(facts, channelOf(offer))
  if (refusal === 'blocked') refuseTakenDown(offer)
  if (refusal !== null) throw refusalError(refusal, offer, facts, { verb: 'download', ...config })
  return offer
}

/** On the website a free listing is added to the library first. */
function factsOf(offer: Offer, visitor: Visitor): Omit<EntitlementFacts, 'person'> {
  const isFree = offer.anonymousDownloads && offer.priceCents === 0 && visitor.kind !== 'user'
  return { ...offer, isBlocked: offer.takenDown !== null, freeFor: isFree ? 'everyone' : 'nobody' }
}

/** The most public channel that has the file. */
function channelOf(offer: Offer): string {
  const channels = channelsOf(offer)
  return [STABLE, BETA].find((channel) => channels.includes(channel)) ?? DEV
}

async function openOffer({ findOffer }: Downloads, fileUid: string): Promise<Offer> {
  const offer = isUid(fileUid) ? await findOffer(fileUid.toLowerCase()) : undefined
  if (!offer) throw new AppError('not_found')
  return offer
}

/** The channels that show the file, or will once it is clean. */
function channelsOf({ scan, shownOn, registeredOn }: Offer): readonly string[] {
  if (scan === 'clean') return shownOn
  return scan === 'scanning' ? [...shownOn, registeredOn] : []
}

function requireClean(offer: Offer): Offer {
  if (offer.scan === 'scanning') throw new AppError('still_scanning')
  if (offer.scan !== 'clean') throw new AppError('not_found')
  return offer
}

async function signLink({ objects }: Deps, offer: Offer): Promise<DownloadLink> {
  const { filename, checksum, objectKey, gameUid } = requireClean(offer)
  try {
    const link = await objects.signedLink(objectKey, { filename, contentType: 'application/zip' })
    return { ...link, expires_in: LINK_SECONDS, filename, checksum, game_uid: gameUid }
  } catch (cause) {
    throw new AppError('link_not_signed', { cause })
  }
}

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

/** The first match wins. Browsers also name those they descend from, so the youngest come first. */
const FAMILIES = [
  ['bot', /bot\b|bot[/;]|crawl|spider|slurp|preview|facebookexternalhit/i],
  ['godot', /godot/i],
  ['launcher', /playshelf|launcher|electron|\bitch\b|steam|heroic|lutris/i],
  ['curl', /^curl\b/i],
  ['wget', /^wget\b/i],
  ['edge', /\bEdg(?:e|A|iOS)?\//],
  ['opera', /\b(?:OPR|OPT|Opera)\b/],
  ['samsung', /\bSamsungBrowser\//],
  ['firefox', /\b(?:Firefox|FxiOS)\//],
  ['chrome', /\b(?:Chrome|Chromium|CriOS)\//],
  ['safari', /\bSafari\//],
  [
    'script',
    /^(?:python|node|undici|bun|deno|go-http-client|okhttp|java|ruby|php|perl|aria2|libcurl|axios)|powershell/i,
  ],
] as const

export const CLIENTS = [...FAMILIES.map(([name]) => name), 'other', 'none'] as const
export type Client = (typeof CLIENTS)[number]

/** Only this much is read; real programs do not need more. */
const LENGTH_READ = 512

/** Maps a program to one of a few fixed words: enough to count, too little to identify anyone. */
export function parseClient(userAgent: string | null): Client {
  const text = userAgent?.trim().slice(0, LENGTH_READ) ?? ''
  if (text === '') return 'none'
  return FAMILIES.find(([, pattern]) => pattern.test(text))?.[0] ?? 'other'
}
