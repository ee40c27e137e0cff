import { STABLE } from '../../../domain/builds/channels.ts'
import { entitlement, type EntitlementFacts, refusalError } from '../../../domain/listings/entitlement.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../domain/listings/web-player.ts'
import { AppError } from '../../../errors.ts'
import type { PlayFacts } from './queries.ts'

export type PlayedBuild = NonNullable<PlayFacts['build']>

/** Returns the build that may be played; throws what the download route answers where none may. */
export function requirePlayable(facts: PlayFacts, channel: string, baseUrl: string): PlayedBuild {
  const refusal = entitlement(withPrice(facts), channel)
  if (refusal !== null) throw refusalError(refusal, facts, facts, { verb: 'play', baseUrl })
  if (!facts.build) {
    throw new AppError('not_found', { message: `${facts.name} has no build that runs in the browser.` })
  }
  if (facts.build.isScanning) throw new AppError('still_scanning')
  return facts.build
}

/** Whether everyone may play the stable build, without a ticket. */
export function isOpenToAll(facts: PlayFacts): boolean {
  return entitlement({ ...withPrice(facts), person: null }, STABLE) === null
}

function withPrice(facts: PlayFacts): EntitlementFacts {
  const { signed_out } = facts.webPlayer ?? WEB_PLAYER_DEFAULTS
  const freeFor = signed_out ? 'everyone' : 'accounts'
  return { ...facts, freeFor: facts.priceCents === 0 ? freeFor : 'nobody' }
}
