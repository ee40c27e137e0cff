import type { Db } from '../../../db/client.ts'
import { AppError } from '../../../errors.ts'
import { listReleasesOf } from './shared-queries.ts'

/** What a trusted publisher's key may be limited to; null is everything. */
export interface ChannelLimit {
  channels: readonly string[] | null
}

export function requireChannel({ channels }: ChannelLimit, channel: string): void {
  if (channels === null || channels.includes(channel)) return
  throw new AppError('forbidden', {
    message: `This key is limited to ${channels.join(', ')}, and the build is for ${channel}. Add the channel to the trusted publisher, or build for another one.`,
  })
}

export interface ChangedBuild {
  uid: string
  channel: string
}

/**
 * A build is changed only by a key for every channel that delivers it or may roll back to it. The answer holds until
 * the transaction ends if that locked the game's row against moves of its channels.
 */
export async function requireBuildChannels(db: Db, limit: ChannelLimit, build: ChangedBuild): Promise<void> {
  requireChannel(limit, build.channel)
  const refusal = await findChannelRefusal(db, limit, build.uid)
  if (refusal !== null) throw new AppError('wrong_credential_kind', { message: refusal })
}

/** Why the build of an allowed channel may not be changed all the same; null where it may. */
export async function findChannelRefusal(
  db: Db,
  { channels }: ChannelLimit,
  buildUid: string,
): Promise<string | null> {
  if (channels === null) return null
  const others = (await listReleasesOf(db, buildUid)).filter((channel) => !channels.includes(channel))
  if (others.length === 0) return null
  return `This key is limited to ${channels.join(', ')}, and the build was also released on ${others.join(', ')}. Register a new version, or use a publisher without channels.`
}

/** For what belongs to no channel, but to the whole game. */
export function requireEveryChannel({ channels }: ChannelLimit): void {
  if (channels === null) return
  throw new AppError('forbidden', {
    message: `This key is limited to ${channels.join(', ')}, and this is about the whole game. Use a publisher without channels.`,
  })
}
