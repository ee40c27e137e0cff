import type { FileHandle } from 'node:fs/promises'

/** A nearly full disk writes only part of the data without an error, and fails on the next attempt. */
export async function writeAll(
  handle: Pick<FileHandle, 'write'>,
  bytes: Uint8Array,
  position: number | null = null,
): Promise<void> {
  for (let written = 0; written < bytes.length;) {
    const at = position === null ? null : position + written
    written += (await handle.write(bytes, written, bytes.length - written, at)).bytesWritten
  }
}
