/** Which build somebody wants to play. */
export interface Choice {
  gameUid: string
  /** Decides who may play it. */
  channel: string
  /** Null: the one that the channel points at. */
  buildUid: string | null
  /** Null: a visitor without an account. */
  userUid: string | null
}

export function keyOf({ gameUid, channel, buildUid, userUid }: Choice): string {
  return `${gameUid} ${channel} ${buildUid ?? ''} ${userUid ?? ''}`
}
