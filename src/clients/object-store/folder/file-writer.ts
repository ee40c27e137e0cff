import type { FileHandle } from 'node:fs/promises'

/** Pieces from a network are small, and each write has its cost: they are collected up to this size. */
const WRITE_BYTES = 256 * 1024
/** A slow sender's bytes are written after this time, however few they are. */
const WRITE_MS = 50
/** How many bytes may be buffered during a write. */
const AHEAD_BYTES = 512 * 1024
/** Syncs regularly, so that the final sync is short. */
const SYNC_BYTES = 8 * 1024 * 1024

export interface FileWriter extends AsyncDisposable {
  /** Resolves when there is room for more. The caller must not change the bytes afterwards. */
  add(bytes: Uint8Array): Promise<void>
  /** Resolves when all bytes are in the file; throws if any write failed. */
  flush(): Promise<void>
}

export interface FileWriterOptions {
  /** Called with each piece when it is written. */
  release?: ((piece: Uint8Array) => void) | undefined
  /** Whether to sync meanwhile. */
  syncs: boolean
}

/** Appends to a file. Pieces are collected for the next write without copying. */
export function openFileWriter(file: FileHandle, { release, syncs }: FileWriterOptions): FileWriter {
  let ahead: Uint8Array[] = []
  let aheadBytes = 0
  let isWriting = false
  let unsynced = 0
  let writing = Promise.resolve()
  let syncing: Promise<void> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined

  async function write(pieces: Uint8Array[], bytes: number): Promise<void> {
    isWriting = true
    await writeAll(file, pieces, bytes)
    isWriting = false
    if (release) pieces.forEach(release)
    unsynced += bytes
    if (!syncs || syncing || unsynced < SYNC_BYTES) return
    unsynced = 0
    syncing = file.datasync().then(() => void (syncing = null))
    syncing.catch(() => undefined)
  }

  function start(): void {
    clearTimeout(timer)
    timer = undefined
    if (isWriting || aheadBytes === 0) return
    writing = write(ahead, aheadBytes)
    // The next `add` or `flush` throws the error.
    writing.catch(() => undefined)
    ahead = []
    aheadBytes = 0
  }

  return {
    async add(bytes) {
      ahead.push(bytes)
      aheadBytes += bytes.byteLength
      timer ??= setTimeout(start, WRITE_MS)
      if (aheadBytes < (isWriting ? AHEAD_BYTES : WRITE_BYTES)) return
      await writing
      start()
    },
    async flush() {
      await writing
      start()
      await writing
      await syncing
    },
    async [Symbol.asyncDispose]() {
      clearTimeout(timer)
      await Promise.allSettled([writing, syncing])
      await file.close()
    },
  }
}

/** A nearly full disk writes only part of the data, and fails on the next attempt. */
async function writeAll(file: FileHandle, pieces: readonly Uint8Array[], bytes: number): Promise<void> {
  let { bytesWritten } = await file.writev(pieces)
  if (bytesWritten === bytes) return
  for (const piece of pieces) {
    for (; bytesWritten < piece.byteLength;) {
      bytesWritten += (await file.write(piece, bytesWritten)).bytesWritten
    }
    bytesWritten -= piece.byteLength
  }
}
