import { AppError } from '../../../errors.ts'

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

/** For what belongs to no channel, but to the whole game. */
export function requireEveryChannel({ channels }: ChannelLimit): void {
  if (channels === null) return
  throw new AppError('forbidden', {
    message: `This key is limited to ${channels.join(', ')}, and this is about the whole game. Use a publisher without channels.`,
  })
}
