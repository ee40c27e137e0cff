export type Body = ReadableStream<Uint8Array> | Uint8Array

export interface ObjectInfo {
  key: string
  size: number
  /** Changes when the bytes do; in the quoted form of the header. */
  etag: string
  contentType: string
  modifiedAt: Date
}

/** Offsets are of bytes, `end` included; `suffix` asks for the last bytes. */
export type ByteRange = { start: number; end?: number } | { suffix: number }

export interface ObjectRead {
  stream: ReadableStream<Uint8Array>
  /** How many bytes the stream holds; `info.size` is the whole object. */
  size: number
  info: ObjectInfo
}

export interface PutOptions {
  contentType?: string
  signal?: AbortSignal
}

export interface LinkOptions {
  filename: string
  /** Five minutes unless told. */
  expiresInSeconds?: number
  contentType?: string
}

export interface SignedLink {
  url: string
  expires_at: string
}

/** What our own route needs to answer a signed link. */
export interface OpenedLink {
  file: Bun.BunFile
  info: ObjectInfo
  filename: string
  contentType: string
}

export interface LocalLinks {
  /** Throws `forbidden` for a link that is expired or not ours, `not_found` when the object is gone. */
  open(key: string, query: Readonly<Record<string, string | undefined>>): Promise<OpenedLink>
}

/**
 * A body that was cancelled looks like one that ended, so `put` and `append` cannot tell a client that hung up from
 * one that finished: callers compare the byte count with the one they expect.
 */
export interface ObjectStore {
  /** Nothing can be read at `key` before the body is whole. */
  put(key: string, body: Body, options?: PutOptions): Promise<ObjectInfo>
  get(key: string, range?: ByteRange): Promise<ObjectRead>
  head(key: string): Promise<ObjectInfo | null>
  delete(key: string): Promise<void>
  copy(from: string, to: string): Promise<ObjectInfo>
  list(prefix: string): AsyncIterable<ObjectInfo>

  /** The caller keeps the id: it is all that another process needs to go on. */
  openUpload(key: string): Promise<string>
  /** Answers the new size. A body that fails is thrown on after what arrived was kept. One append at a time. */
  append(upload: string, body: Body, options?: { signal?: AbortSignal }): Promise<number>
  /** Asked from the store itself, so it is right after a crash in the middle of an append. */
  uploadSize(upload: string): Promise<number>
  /** Publishes the bytes at the key; may be repeated. S3 lets nobody read an upload before this. */
  completeUpload(upload: string): Promise<ObjectInfo>
  abortUpload(upload: string): Promise<void>
  /** Removes what crashed puts and forgotten uploads left behind; answers how many there were. */
  sweepUploads(openedBefore: Date): Promise<number>

  /** The id of the installation whose objects these are; null where none was written. */
  readOwner(): Promise<string | null>
  /** Leaves an id that is there already, unless told to replace it. */
  writeOwner(id: string, options?: { replace?: boolean }): Promise<void>

  signedLink(key: string, options: LinkOptions): Promise<SignedLink>
  /** null where the store serves its links itself. */
  readonly localLinks: LocalLinks | null
  /** Throws with a sentence that tells the operator what to do. */
  check(): Promise<void>
  dispose(): Promise<void>
}

export const DEFAULT_CONTENT_TYPE = 'application/octet-stream'
export const LINK_SECONDS = 300
