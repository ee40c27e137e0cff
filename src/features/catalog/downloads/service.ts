import { LINK_SECONDS } from '../../../clients/object-store/object-store.ts'
import type { Deps } from '../../../deps.ts'
import type { Anonymous, Player, WebsiteUser } from '../../../domain/actor.ts'
import { BETA, STABLE } from '../../../domain/builds/channels.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { findLicense } from '../../community/library/service.ts'
import { maySeePage, openGame, refuseTakenDown } from '../../games/service.ts'
import type { Downloads } from './downloads.ts'
import type { DownloadLink } from './model.ts'
import type { Offer } from './queries.ts'

type OfferedPage = Pick<Offer, 'name' | 'vanityName' | 'priceCents' | 'anonymousDownloads'>

/** Without an account: stable files of free listings with anonymous downloads on. */
export async function linkForAnyone(downloads: Downloads, fileUid: string): Promise<DownloadLink> {
  return await signLink(downloads.deps, await openForAnyone(downloads, fileUid))
}

async function openForAnyone(downloads: Downloads, fileUid: string): Promise<Offer> {
  const { deps } = downloads
  const offer = await openPublicOffer(downloads, fileUid)
  requireForAnyone(deps, offer)
  return offer
}

/** Throws with where to sign in, unless a listing is free and has anonymous downloads on. */
export function requireForAnyone(deps: Deps, page: OfferedPage): void {
  if (isForAnyone(page)) return
  const { name, priceCents } = page
  const message = priceCents > 0 ? `Sign in and buy ${name} to download it.` : `Sign in to download ${name}.`
  throw refuse(deps, page, 'sign_in_to_download', message)
}

/** For editors: what anyone may have, and to a player also what their licences cover. */
export async function linkForVisitor(
  downloads: Downloads,
  visitor: Anonymous | Player,
  fileUid: string,
): Promise<DownloadLink> {
  if (visitor.kind === 'anonymous') return await linkForAnyone(downloads, fileUid)
  const offer = await openPublicOffer(downloads, fileUid)
  if (!isForAnyone(offer)) await requireShare(downloads.deps, visitor, offer)
  return await signLink(downloads.deps, offer)
}

/**
 * With an account: all clean files for owner and admins; for players those that their licence covers. Of a page that
 * was taken down only operators get any.
 */
export async function linkForUser(
  downloads: Downloads,
  user: WebsiteUser,
  ref: string,
  fileUid: string,
): Promise<DownloadLink> {
  return await signLink(downloads.deps, await openForUser(downloads, user, ref, fileUid))
}

async function openForUser(
  downloads: Downloads,
  user: { userUid: string; isOperator?: boolean },
  ref: string,
  fileUid: string,
): Promise<Offer> {
  const { deps } = downloads
  const { game, role } = await openGame(deps.db, user, ref, 'use')
  refuseTakenDown(game, user)
  const offer = await openOffer(downloads, fileUid)
  if (offer.gameUid !== game.uid) throw new AppError('not_found')
  if (role === null && !game.takenDown) await requireShare(deps, user, offer)
  return offer
}

/** For launchers: what anyone may have, and to a player also what the website would give them. */
export async function openForInstaller(
  downloads: Downloads,
  visitor: Anonymous | Player,
  fileUid: string,
): Promise<Offer> {
  if (visitor.kind === 'anonymous') return requireClean(await openForAnyone(downloads, fileUid))
  const offer = await openOffer(downloads, fileUid)
  const isOpen =
    isForAnyone(offer) && maySeePage(offer.visibility, null) && channelsOf(offer).includes(STABLE)
  return requireClean(isOpen ? offer : await openForUser(downloads, visitor, offer.gameUid, fileUid))
}

export async function linkForInstaller(
  downloads: Downloads,
  visitor: Anonymous | Player,
  fileUid: string,
): Promise<DownloadLink> {
  return await signLink(downloads.deps, await openForInstaller(downloads, visitor, fileUid))
}

function isForAnyone({ anonymousDownloads, priceCents }: OfferedPage): boolean {
  return anonymousDownloads && priceCents === 0
}

async function requireShare(deps: Deps, user: { userUid: string }, offer: Offer): Promise<void> {
  const { gameUid, name, priceCents } = offer
  const channels = channelsOf(offer)
  if (!channels.includes(STABLE) && !channels.includes(BETA)) throw new AppError('not_found')
  const license = await findLicense(deps.db, user.userUid, gameUid)
  if (!channels.includes(STABLE)) {
    if (!license?.beta) throw refuse(deps, offer, 'forbidden', describeBeta(offer, license !== undefined))
    return
  }
  if (license) return
  if (priceCents > 0) throw refuse(deps, offer, 'buy_to_download', `Buy ${name} to download it.`)
  throw refuse(deps, offer, 'forbidden', `Add ${name} to your library first.`)
}

/** What the player has to do for a file of the beta. */
function describeBeta({ name, priceCents }: Offer, hasLicense: boolean): string {
  if (hasLicense) return `Join the beta of ${name} first.`
  return priceCents > 0
    ? `This file is part of the beta of ${name}. Buy ${name}, then join the beta.`
    : `This file is part of the beta of ${name}. Add ${name} to your library, then join the beta.`
}

async function openPublicOffer(downloads: Downloads, fileUid: string): Promise<Offer> {
  const offer = await openOffer(downloads, fileUid)
  const isOpen = maySeePage(offer.visibility, null) && !offer.adult
  if (!isOpen || !channelsOf(offer).includes(STABLE)) throw new AppError('not_found')
  return offer
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

/** Adds the page where the reader can get the file. */
function refuse(
  { config }: Deps,
  { vanityName, priceCents }: OfferedPage,
  kind: 'sign_in_to_download' | 'buy_to_download' | 'forbidden',
  message: string,
): AppError {
  const browse_url = listingUrl(config.baseUrl, vanityName)
  return new AppError(kind, { message, data: { browse_url, price_cents: priceCents } })
}

function requireClean(offer: Offer): Offer {
  if (offer.scan === 'scanning') throw new AppError('still_scanning')
  if (offer.scan !== 'clean') throw new AppError('not_found')
  return offer
}

async function signLink({ store }: Deps, offer: Offer): Promise<DownloadLink> {
  const { filename, checksum, objectKey, gameUid } = requireClean(offer)
  try {
    const link = await store.signedLink(objectKey, { filename, contentType: 'application/zip' })
    return { ...link, expires_in: LINK_SECONDS, filename, checksum, game_uid: gameUid }
  } catch (cause) {
    throw new AppError('link_not_signed', { cause })
  }
}
