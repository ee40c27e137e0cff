/** What the script of the play page needs to let the game keep the saves of a player who is signed in. */
export interface PlaySaves {
  /** The route of the player's choice. */
  path: string
  game: string
  /** Whether they may be in the account, or only in this browser; null: the player is asked. */
  allowed: boolean | null
  /** Tells the saves of several accounts in one browser apart. */
  account: string
  player: { name: string; picture: string | null }
  device: string
}
