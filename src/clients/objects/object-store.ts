export type Body = ReadableStream<Uint8Array> | Uint8Array

export interface ObjectInfo {
  key: string
  size: number
  /** Changes with the bytes; quoted as in the header. */
  etag: string
  contentType: string
  modifiedAt: Date
}

/** Byte offsets, with `end` inclusive; `suffix` requests the last bytes. */
export type ByteRange = { start: number; end?: number } | { suffix: number }

/** Bytes of one object, in the order in which they are to follow each other. */
export interface RangeSource {
  key: string
  size: number
  ranges: readonly { from: number; length: number }[]
}

export interface RangeOptions {
  signal?: AbortSignal
  /** Whose share of the slots the bytes use. */
  owner?: string | undefined
  /** Called with all bytes in their order, for a checksum. */
  onBytes?: ((bytes: Uint8Array) => Promise<void>) | undefined
}

export interface ObjectRead {
  stream: ReadableStream<Uint8Array>
  /** The length of the stream; `info.size` is the size of the whole object. */
  size: number
  info: ObjectInfo
}

/** The right to send a body to the store. Disposing it has no effect once a write has taken it over. */
export type WriteSlot = Disposable

export interface WriteOptions {
  signal?: AbortSignal | undefined
  /** Whose share of the slots the body uses. */
  owner?: string | undefined
  /** From `acquireSlot`; without it the write acquires its own. */
  slot?: WriteSlot | null | undefined
  /** Called with each piece of the body, in order, when the store no longer needs its memory. */
  release?: ((piece: Uint8Array) => void) | undefined
}

export interface PutOptions extends WriteOptions {
  contentType?: string
}

export interface AppendOptions extends WriteOptions {
  /** The size of the upload, if the caller has just read it. */
  size?: number | undefined
}

export interface LinkOptions {
  filename: string
  /** Defaults to five minutes. */
  expiresInSeconds?: number
  contentType?: string
}

export interface SignedLink {
  url: string
  expires_at: string
}

/** The data our own route needs to serve a signed link. */
export interface OpenedLink {
  file: Bun.BunFile
  info: ObjectInfo
  filename: string
  contentType: string
}

interface LocalLinks {
  /** Throws `forbidden` for an expired or invalid link, `not_found` when the object does not exist. */
  open(key: string, query: Readonly<Record<string, string | undefined>>): Promise<OpenedLink>
}

/**
 * A cancelled body looks like one that ended, so `put` and `append` cannot distinguish a client that
 * disconnected from one that finished: callers must compare the byte count with the expected one.
 */
export interface ObjectStore {
  /** Throws `storage_full` if storing this many bytes would leave too little room on the disk. */
  requireRoom(bytes: number): Promise<void>
  /**
   * Waits until the store has memory for another body; owners are served in turn. Bodies that are not read before this
   * need least memory. It is released soon if no write takes it over.
   */
  acquireSlot(owner: string, signal?: AbortSignal): Promise<WriteSlot>
  /** The object becomes readable only when the body is complete. */
  put(key: string, body: Body, options?: PutOptions): Promise<ObjectInfo>
  get(key: string, range?: ByteRange): Promise<ObjectRead>
  head(key: string): Promise<ObjectInfo | null>
  delete(key: string): Promise<void>
  copy(from: string, to: string): Promise<ObjectInfo>
  list(prefix: string): AsyncIterable<ObjectInfo>

  /** Returns an id with which any process can continue the upload. */
  openUpload(key: string): Promise<string>
  /**
   * Returns the new size. If the body fails, the received bytes are stored before the error is thrown.
   * Appends must not overlap.
   */
  append(upload: string, body: Body, options?: AppendOptions): Promise<number>
  /** Like `append`, with ranges of another object, which the store copies by itself where it can. */
  appendRanges(upload: string, source: RangeSource, options?: RangeOptions): Promise<number>
  /** Takes back all that an append has stored, down to the size before it; nothing may have been appended since. */
  truncateUpload(upload: string, size: number): Promise<void>
  /** Read from the store, so it is correct even after a crash during an append. */
  uploadSize(upload: string): Promise<number>
  /** Publishes the bytes at the key; may be repeated. With S3 an upload cannot be read before this. */
  completeUpload(upload: string): Promise<ObjectInfo>
  abortUpload(upload: string): Promise<void>
  /** Removes leftovers of crashed puts and abandoned uploads; returns how many there were. */
  sweepUploads(openedBefore: Date): Promise<number>

  /** The id of the installation that owns the objects; null if none was written. */
  readOwner(): Promise<string | null>
  /** Does not overwrite an existing id unless `replace` is set. */
  writeOwner(id: string, options?: { replace?: boolean }): Promise<void>

  signedLink(key: string, options: LinkOptions): Promise<SignedLink>
  /** The path of the object's file, whether it exists or not; null if the store keeps none on this machine. */
  localPath(key: string): string | null
  /** Null if the store serves its links itself. */
  readonly localLinks: LocalLinks | null
  /** Throws an error that says what the operator should do. */
  check(): Promise<void>
  dispose(): Promise<void>
}

export const DEFAULT_CONTENT_TYPE = 'application/octet-stream'
export const LINK_SECONDS = 300
