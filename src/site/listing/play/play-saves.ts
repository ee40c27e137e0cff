/** What the script of the play page needs to let the game keep its saves in the account of the player. */
export interface PlaySaves {
  /** The route of the player's choice. */
  path: string
  game: string
  allowed: boolean
  /** Tells the saves of several accounts in one browser apart. */
  account: string
  player: { name: string; picture: string | null }
  device: string
}
