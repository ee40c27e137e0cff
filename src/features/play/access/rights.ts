import { BETA, STABLE } from '../../../domain/builds/channels.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../domain/listings/web-player.ts'
import { listingUrl } from '../../../domain/site-urls.ts'
import { AppError } from '../../../errors.ts'
import { maySeePage } from '../../games/service.ts'
import type { PlayFacts } from './queries.ts'

export type PlayedBuild = NonNullable<PlayFacts['build']>

/** Returns the build that may be played; throws what the download route answers where none may. */
export function requirePlayable(facts: PlayFacts, channel: string, baseUrl: string): PlayedBuild {
  requireRight(facts, channel, baseUrl)
  if (!facts.build) {
    throw new AppError('not_found', { message: `${facts.name} has no build that runs in the browser.` })
  }
  if (facts.build.isScanning) throw new AppError('still_scanning')
  return facts.build
}

/** Whether everyone may play the stable build, without a ticket. */
export function isOpenToAll(facts: PlayFacts): boolean {
  const { isBlocked, visibility, adult, priceCents } = facts
  const { signed_out } = facts.webPlayer ?? WEB_PLAYER_DEFAULTS
  return !isBlocked && maySeePage(visibility, null) && !adult && priceCents === 0 && signed_out
}

function requireRight(facts: PlayFacts, channel: string, baseUrl: string): void {
  const { player, name } = facts
  const isMaker = player !== null && (player.isOwner || player.isAdmin)
  if (facts.isBlocked) {
    throw isMaker
      ? new AppError('forbidden', { message: `The operators of this store took ${name} down.` })
      : new AppError('not_found')
  }
  if (isMaker) return
  if (!maySeePage(facts.visibility, null)) throw new AppError('not_found')
  if (facts.adult && !player?.adultContent) throw refuseAdult(facts, baseUrl)
  if (channel === BETA) return requireBeta(facts, baseUrl)
  if (channel !== STABLE) throw new AppError('not_found')
  requireStable(facts, baseUrl)
}

function requireStable(facts: PlayFacts, baseUrl: string): void {
  const { player, name, priceCents } = facts
  const { signed_out } = facts.webPlayer ?? WEB_PLAYER_DEFAULTS
  if (priceCents === 0 && (player || signed_out)) return
  if (player?.hasLicense) return
  if (priceCents === 0) throw refuse(facts, baseUrl, 'sign_in_to_download', `Sign in to play ${name}.`)
  throw player
    ? refuse(facts, baseUrl, 'buy_to_download', `Buy ${name} to play it.`)
    : refuse(facts, baseUrl, 'sign_in_to_download', `Sign in and buy ${name} to play it.`)
}

function requireBeta(facts: PlayFacts, baseUrl: string): void {
  const { player, name } = facts
  if (player?.inBeta) return
  throw player
    ? refuse(facts, baseUrl, 'forbidden', `Join the beta of ${name} first.`)
    : refuse(facts, baseUrl, 'sign_in_to_download', `Sign in and join the beta of ${name} to play it.`)
}

function refuseAdult(facts: PlayFacts, baseUrl: string): AppError {
  const { player, name } = facts
  return player
    ? refuse(facts, baseUrl, 'forbidden', `Turn on adult content in your account to play ${name}.`)
    : refuse(facts, baseUrl, 'sign_in_to_download', `Sign in to play ${name}.`)
}

/** Adds the page where the reader can get the right. */
function refuse(
  { vanityName, priceCents }: PlayFacts,
  baseUrl: string,
  kind: 'sign_in_to_download' | 'buy_to_download' | 'forbidden',
  message: string,
): AppError {
  const data = { browse_url: listingUrl(baseUrl, vanityName), price_cents: priceCents }
  return new AppError(kind, { message, data })
}
