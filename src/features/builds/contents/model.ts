/** Where the bytes of an entry lie in the zip and how to unpack them. */
export interface EntryPlace {
  /** Where the entry begins, at its header, and how many bytes it has up to the next part. */
  at: number
  length: number
  /** STORED or DEFLATED. */
  method: number
  crc32: number
  /** The bytes of the content as they lie in the zip, and where the first of them is. */
  packed: number
  dataAt: number
  mode: number | null
}

export interface RecordedEntry extends EntryPlace {
  path: string
  /** Unpacked. */
  size: number
  /** Of the unpacked content. */
  sha256: string
}

export const STORED = 0
export const DEFLATED = 8

/** What clients that fetch parts of a zip have to know. */
export interface Contents {
  /** The size of all files when unpacked. */
  installedSize: number
  hasBlocks: boolean
  /** In the format of `lib/zip/contents.ts`; null where it would be too large. */
  document: Uint8Array | null
}
