import { LINK_SECONDS } from '../../../clients/objects/object-store.ts'
import type { Deps } from '../../../deps.ts'
import type { Anonymous, Player, WebsiteUser } from '../../../domain/actor.ts'
import { BETA, DEV, STABLE } from '../../../domain/builds/channels.ts'
import { entitlement, type EntitlementFacts, refusalError } from '../../../domain/listings/entitlement.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { findEntitlementFacts } from '../../community/library/service.ts'
import { refuseTakenDown } from '../../games/service.ts'
import type { Downloads } from './log.ts'
import type { DownloadLink } from './model.ts'
import { findJamRight, type Offer, recordJamDownload } from './queries.ts'

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
