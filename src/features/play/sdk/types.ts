/** What the script of a game knows of the store that serves it. */
export interface SdkFacts {
  baseUrl: string
  gameUid: string
  buildUid: string
  version: string
}

export interface Player {
  name: string
  /** The address of the picture. */
  picture: string | null
}

/** As in the answers of the API; what is only in this browser has the first three. */
export interface ListedSave {
  slot: string
  size: number
  at: string
  revision?: string
  device?: string | null
  note?: string | null
  play_minutes?: number
}

export interface Version extends ListedSave {
  bytes: ArrayBuffer
}

export interface Conflict {
  slot: string
  mine: Version
  theirs: Version
}

/** What becomes of a conflict; bytes are a version that the game made out of both. */
export type Decision = 'mine' | 'theirs' | 'both' | ArrayBuffer

/** What a game wants to be told. */
export interface Told {
  conflict?: (conflict: Conflict) => unknown
}

/** Where a save is: in the account, in this browser until it can be sent, or in this browser alone. */
export type Place = 'account' | 'waiting' | 'browser'

export interface Saves {
  list(): Promise<ListedSave[]>
  read(slot: string): Promise<ArrayBuffer | null>
  write(slot: string, bytes: ArrayBuffer): Promise<Place>
  readonly player: Player | null
}

/** Its code is that of the API, and tells the same where only this browser keeps the save. */
export class SaveError extends Error {
  constructor(
    readonly code: number,
    message: string,
    readonly data?: unknown,
  ) {
    super(message)
  }
}
