import { crc32, deflateSync, inflateSync } from 'node:zlib'

/** Raw pixels, row by row: red, green, blue and, with four channels, alpha. */
export interface Picture {
  width: number
  height: number
  channels: 3 | 4
  pixels: Uint8Array
}

export interface Area {
  left: number
  top: number
  width: number
  height: number
}

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
/** PNG colour types for RGB and RGBA. */
const COLOUR_TYPES = { 3: 2, 4: 6 } as const
const CHUNK_OVERHEAD = 12

/** Fast rather than small: the output is only read by the next step, not stored. */
export function encodePng({ width, height, channels, pixels }: Picture): Uint8Array {
  const rowBytes = width * channels
  if (pixels.length !== rowBytes * height) throw new Error('The pixels do not fit the size of the picture')
  const rows = Buffer.alloc((rowBytes + 1) * height)
  for (let y = 0; y < height; y += 1) {
    rows.set(pixels.subarray(y * rowBytes, (y + 1) * rowBytes), y * (rowBytes + 1) + 1)
  }
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, COLOUR_TYPES[channels]], 8)
  return Buffer.concat([
    SIGNATURE,
    encodeChunk('IHDR', header),
    encodeChunk('IDAT', deflateSync(rows, { level: 1 })),
    encodeChunk('IEND', new Uint8Array()),
  ])
}

/** Reads the output of `encodePng` and Bun.Image: 8 bits a channel, RGB or RGBA, not interlaced. */
export function decodePng(bytes: Uint8Array): Picture {
  const { header, data } = readChunks(bytes)
  const width = header.readUInt32BE(0)
  const height = header.readUInt32BE(4)
  const [depth, colourType, , , interlaced] = header.subarray(8)
  const channels = colourType === COLOUR_TYPES[4] ? 4 : colourType === COLOUR_TYPES[3] ? 3 : null
  if (depth !== 8 || channels === null || interlaced !== 0)
    throw new Error('This kind of PNG is not read here')
  const rowBytes = width * channels
  const length = (rowBytes + 1) * height
  // One chunk of the full size: joining several would hold the pixels twice.
  const rows = inflateSync(data, { maxOutputLength: length, chunkSize: Math.max(length, 64) })
  if (rows.length !== length) throw new Error('The PNG ends early')
  return { width, height, channels, pixels: unfilter(rows, rowBytes, height, channels) }
}

export function cropPicture(picture: Picture, { left, top, width, height }: Area): Picture {
  const { channels } = picture
  if (left < 0 || top < 0 || left + width > picture.width || top + height > picture.height) {
    throw new Error('The area is not inside the picture')
  }
  const pixels = new Uint8Array(width * height * channels)
  for (let y = 0; y < height; y += 1) {
    const start = ((top + y) * picture.width + left) * channels
    pixels.set(picture.pixels.subarray(start, start + width * channels), y * width * channels)
  }
  return { width, height, channels, pixels }
}

function encodeChunk(type: string, data: Uint8Array): Uint8Array {
  const chunk = Buffer.alloc(CHUNK_OVERHEAD + data.length)
  chunk.writeUInt32BE(data.length, 0)
  chunk.write(type, 4, 'latin1')
  chunk.set(data, 8)
  chunk.writeUInt32BE(crc32(chunk.subarray(4, 8 + data.length)), 8 + data.length)
  return chunk
}

function readChunks(bytes: Uint8Array): { header: Buffer; data: Buffer } {
  const source = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  if (!source.subarray(0, SIGNATURE.length).equals(SIGNATURE)) throw new Error('This is not a PNG')
  let header: Buffer | null = null
  const data: Buffer[] = []
  for (let at = SIGNATURE.length; at + CHUNK_OVERHEAD <= source.length;) {
    const size = source.readUInt32BE(at)
    const type = source.toString('latin1', at + 4, at + 8)
    const body = source.subarray(at + 8, at + 8 + size)
    if (type === 'IHDR') header = body
    if (type === 'IDAT') data.push(body)
    at += CHUNK_OVERHEAD + size
  }
  if (header?.length !== 13) throw new Error('The PNG has no header')
  const [only = Buffer.alloc(0), ...more] = data
  return { header, data: more.length === 0 ? only : Buffer.concat(data) }
}

/**
 * Undoes PNG's row filters in place. Rows are stored as differences from their neighbours; the first byte of
 * each row names the filter and is dropped.
 */
function unfilter(rows: Uint8Array, rowBytes: number, height: number, channels: number): Uint8Array {
  for (let y = 0; y < height; y += 1) {
    const source = y * (rowBytes + 1)
    const target = y * rowBytes
    const filter = rows[source] ?? 0
    rows.copyWithin(target, source + 1, source + 1 + rowBytes)
    if (filter !== 0) addNeighbours(rows, { target, rowBytes, channels, filter })
  }
  return new Uint8Array(rows.buffer, rows.byteOffset, rowBytes * height)
}

interface Row {
  target: number
  rowBytes: number
  channels: number
  filter: number
}

function addNeighbours(pixels: Uint8Array, { target, rowBytes, channels, filter }: Row): void {
  const hasAbove = target > 0
  for (let x = 0; x < rowBytes; x += 1) {
    const at = target + x
    const left = x >= channels ? (pixels[at - channels] ?? 0) : 0
    const above = hasAbove ? (pixels[at - rowBytes] ?? 0) : 0
    const corner = hasAbove && x >= channels ? (pixels[at - rowBytes - channels] ?? 0) : 0
    pixels[at] = (pixels[at] ?? 0) + predict(filter, left, above, corner)
  }
}

function predict(filter: number, left: number, above: number, corner: number): number {
  switch (filter) {
    case 1:
      return left
    case 2:
      return above
    case 3:
      return (left + above) >> 1
    case 4:
      return nearest(left, above, corner)
    default:
      throw new Error(`PNG has no filter ${filter}`)
  }
}

/** The Paeth predictor: the neighbour closest to left + above - corner. */
function nearest(left: number, above: number, corner: number): number {
  const guess = left + above - corner
  const toLeft = Math.abs(guess - left)
  const toAbove = Math.abs(guess - above)
  const toCorner = Math.abs(guess - corner)
  if (toLeft <= toAbove && toLeft <= toCorner) return left
  return toAbove <= toCorner ? above : corner
}
