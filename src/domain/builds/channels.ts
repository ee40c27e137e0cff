import { AppError } from '../../errors.ts'
import { show } from '../../lib/text/show.ts'

/** stable is for all players, beta for those who joined it, dev and any other channel for owner and admins. */
export const STABLE = 'stable'
export const BETA = 'beta'
export const DEV = 'dev'
/** Of files that a newer upload of the same build replaced, while they are the version of a jam. */
export const JAM_CHANNEL = 'jam-version'
export const CHANNEL_MAX = 32

export const CHANNEL_PATTERN = '^[a-z0-9][a-z0-9_-]{0,31}$'
const CHANNEL = new RegExp(CHANNEL_PATTERN)

export function isChannel(text: string): boolean {
  return CHANNEL.test(text)
}

export const MAIN_APP = 'main'

/** Why a channel points at another build than before. */
export const CHANNEL_MOVES = ['upload', 'promote', 'rollback', 'fallback'] as const
export type ChannelMove = (typeof CHANNEL_MOVES)[number]

export function parseChannel(given: unknown): string {
  if (typeof given === 'string' && isChannel(given)) return given
  throw new AppError('upload_field_invalid', {
    message: `channel must be 1 to ${CHANNEL_MAX} characters of a-z, 0-9, - and _, the first a letter or digit, not ${show(given)}.`,
  })
}
