export type ImageFormat = 'png' | 'jpeg' | 'webp'

const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
const JPEG_START = Buffer.from([0xff, 0xd8, 0xff])

/** The media types that clients send for the formats we accept. */
const DECLARED_TYPES: Readonly<Record<string, ImageFormat>> = {
  'image/png': 'png',
  'image/x-png': 'png',
  'image/jpeg': 'jpeg',
  'image/jpg': 'jpeg',
  'image/pjpeg': 'jpeg',
  'image/webp': 'webp',
}

/** Detects the format from the bytes, ignoring what the client says. */
export function sniffFormat(bytes: Buffer): ImageFormat | null {
  if (bytes.subarray(0, PNG_SIGNATURE.length).equals(PNG_SIGNATURE)) return 'png'
  if (bytes.subarray(0, JPEG_START.length).equals(JPEG_START)) return 'jpeg'
  const isWebp = bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WEBP'
  return isWebp ? 'webp' : null
}

/** A type that is not an image type, such as application/octet-stream, matches every format. */
export function fitsDeclaredType(format: ImageFormat, declaredType: string): boolean {
  return !declaredType.startsWith('image/') || DECLARED_TYPES[declaredType] === format
}

export type FileFault = 'ends_early' | 'too_many_scans'

/** A progressive JPEG has about ten. Each is a pass over all pixels, so thousands would block a decoder for hours. */
const JPEG_SCANS_MAX = 64

/**
 * Finds faults that a decoder accepts: it fills a truncated image with grey. Data after the end is ignored, because
 * cameras append further pictures.
 */
export function findFault(format: ImageFormat, bytes: Buffer): FileFault | null {
  return FAULT_FINDERS[format](bytes)
}

const FAULT_FINDERS: Readonly<Record<ImageFormat, (bytes: Buffer) => FileFault | null>> = {
  png: findPngFault,
  jpeg: findJpegFault,
  webp: (bytes) => (bytes.length >= bytes.readUInt32LE(4) + 8 ? null : 'ends_early'),
}

/** Walks the chunks: length, type, data, checksum. */
function findPngFault(bytes: Buffer): FileFault | null {
  let at = PNG_SIGNATURE.length
  while (at + 12 <= bytes.length) {
    if (bytes.toString('latin1', at + 4, at + 8) === 'IEND') return null
    at += 12 + bytes.readUInt32BE(at)
  }
  return 'ends_early'
}

/** Walks the markers. Skips segments, because an embedded preview has an end marker of its own. */
function findJpegFault(bytes: Buffer): FileFault | null {
  let at = JPEG_START.length - 1
  let scans = 0
  while (at + 1 < bytes.length) {
    const marker = bytes[at] === 0xff ? bytes[at + 1] : undefined
    if (marker === 0xd9) return null
    if (marker === 0xda) scans += 1
    if (scans > JPEG_SCANS_MAX) return 'too_many_scans'
    if (marker === undefined || marker === 0xff) at += 1
    else if (isBareMarker(marker)) at += 2
    else if (at + 4 <= bytes.length) at += 2 + bytes.readUInt16BE(at + 2)
    else return 'ends_early'
  }
  return 'ends_early'
}

/** Markers without a segment: an escaped FF in the image data, restarts, a start. */
function isBareMarker(marker: number): boolean {
  return marker === 0x00 || marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)
}
