import type { FileHandle } from 'node:fs/promises'

/** How far a body may be ahead of the disk. */
const AHEAD_BYTES = 512 * 1024
/** The disk follows all along, so that little is left for the sync at the end. */
const SYNC_BYTES = 8 * 1024 * 1024

export interface FileWriter extends AsyncDisposable {
  /** Settles when there is room for more. The bytes must not change any more. */
  add(bytes: Uint8Array): Promise<void>
  /** Settles when everything added is in the file; throws what went wrong on the way. */
  flush(): Promise<void>
}

/** Adds to the end of a file. What comes while a write is under way goes into the next one, so nothing is copied. */
export function openFileWriter(file: FileHandle): FileWriter {
  let ahead: Uint8Array[] = []
  let aheadBytes = 0
  let isWriting = false
  let unsynced = 0
  let writing = Promise.resolve()
  let syncing: Promise<void> | null = null

  async function write(pieces: Uint8Array[], bytes: number): Promise<void> {
    isWriting = true
    await writeAll(file, pieces, bytes)
    isWriting = false
    unsynced += bytes
    if (syncing || unsynced < SYNC_BYTES) return
    unsynced = 0
    syncing = file.datasync().then(() => void (syncing = null))
    syncing.catch(() => undefined)
  }

  function start(): void {
    writing = write(ahead, aheadBytes)
    // Whoever adds or flushes next is told.
    writing.catch(() => undefined)
    ahead = []
    aheadBytes = 0
  }

  return {
    async add(bytes) {
      ahead.push(bytes)
      aheadBytes += bytes.byteLength
      if (isWriting && aheadBytes < AHEAD_BYTES) return
      await writing
      start()
    },
    async flush() {
      await writing
      if (aheadBytes > 0) start()
      await writing
      await syncing
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled([writing, syncing])
      await file.close()
    },
  }
}

/** A disk that is nearly full takes a part of what it is given, and refuses the rest at the next try. */
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
