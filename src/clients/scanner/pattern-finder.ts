/** Searches a stream for bytes, including matches that span several pieces. */
export function createPatternFinder(pattern: Buffer): (piece: Uint8Array) => boolean {
  const reach = pattern.length - 1
  let tail = Buffer.alloc(0)
  return (piece) => {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.length)
    const border = Buffer.concat([tail, bytes.subarray(0, reach)])
    if (border.includes(pattern) || bytes.includes(pattern)) return true
    tail = bytes.length < reach ? border.subarray(-reach) : Buffer.from(bytes.subarray(-reach))
    return false
  }
}
