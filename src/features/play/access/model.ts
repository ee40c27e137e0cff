/** The build that a visitor asked to play. */
export interface Choice {
  gameUid: string
  /** Decides who may play it. */
  channel: string
  /** Null: the current build of the channel. */
  buildUid: string | null
  /** Null: a visitor without an account. */
  userUid: string | null
  /** The uid of the jam whose version is asked for; null: none. */
  jam: string | null
}

export function keyOf({ gameUid, channel, buildUid, userUid, jam }: Choice): string {
  return `${gameUid} ${channel} ${buildUid ?? ''} ${userUid ?? ''} ${jam ?? ''}`
}
