import { toMs, type VideoBytes, type VideoFacts, VideoFault } from './container.ts'

interface Box {
  type: string
  /** Where its content begins and ends. */
  start: number
  end: number
}

const BOXES_MAX = 4096

/** ISO base media: boxes of size, type and content. The sizes of tracks are in `moov`, at either end. */
export async function readMp4(bytes: VideoBytes): Promise<VideoFacts> {
  const top = await listBoxes(bytes, 0, bytes.size)
  const moov = find(top, 'moov')
  if (!moov) throw new VideoFault('is not a complete MP4: its index (moov) is missing.')
  if (!find(top, 'mdat')) throw new VideoFault('is not a complete MP4: it has no media data.')
  const inside = await listBoxes(bytes, moov.start, moov.end)
  for (const track of inside.filter(({ type }) => type === 'trak')) {
    const size = await readTrack(bytes, track)
    if (size) return { ...size, durationMs: await readDuration(bytes, inside) }
  }
  throw new VideoFault('has no video track.')
}

async function listBoxes(bytes: VideoBytes, from: number, to: number): Promise<Box[]> {
  const boxes: Box[] = []
  for (let at = from; at + 8 <= to;) {
    const header = await bytes.read(at, 8)
    const type = String.fromCharCode(...new Uint8Array(header.buffer, header.byteOffset + 4, 4))
    const short = header.getUint32(0)
    const start = at + (short === 1 ? 16 : 8)
    const length = short === 1 ? Number((await bytes.read(at + 8, 8)).getBigUint64(0)) : short
    // 0: up to the end.
    const end = length === 0 ? to : at + length
    if (end < start) throw new VideoFault('is damaged: a part of it has no valid size.')
    if (end > to) throw new VideoFault('is truncated: a part of it is missing.')
    boxes.push({ type, start, end })
    if (boxes.length > BOXES_MAX) throw new VideoFault('has too many parts.')
    at = end
  }
  return boxes
}

/** Its size as shown; null for a track that is not video. */
async function readTrack(
  bytes: VideoBytes,
  track: Box,
): Promise<Pick<VideoFacts, 'width' | 'height'> | null> {
  const boxes = await listBoxes(bytes, track.start, track.end)
  const [header, media] = [find(boxes, 'tkhd'), find(boxes, 'mdia')]
  if (!header || !media) return null
  const handler = find(await listBoxes(bytes, media.start, media.end), 'hdlr')
  if (!handler) return null
  // After version and flags, and four bytes that are 0.
  const kind = await bytes.read(handler.start + 8, 4)
  if (kind.getUint32(0) !== VIDEO_HANDLER) return null
  const isLong = (await bytes.read(header.start, 1)).getUint8(0) === 1
  const matrix = header.start + (isLong ? 52 : 40)
  const fields = await bytes.read(matrix, 44)
  const [width, height] = [fields.getUint32(36) >>> 16, fields.getUint32(40) >>> 16]
  // Phones film upright with a matrix that turns by a quarter: its first number is 0.
  return fields.getInt32(0) === 0 ? { width: height, height: width } : { width, height }
}

/** 'vide' */
const VIDEO_HANDLER = 0x76696465

/** From the header of the film, or of its fragments. */
async function readDuration(bytes: VideoBytes, inside: readonly Box[]): Promise<number | null> {
  const header = find(inside, 'mvhd')
  if (!header) return null
  const isLong = (await bytes.read(header.start, 1)).getUint8(0) === 1
  const fields = await bytes.read(header.start + (isLong ? 20 : 12), isLong ? 12 : 8)
  const scale = fields.getUint32(0)
  const own = isLong ? Number(fields.getBigUint64(4)) : fields.getUint32(4)
  const length = own > 0 ? own : await readFragmentsDuration(bytes, inside)
  return toMs(length / scale)
}

async function readFragmentsDuration(bytes: VideoBytes, inside: readonly Box[]): Promise<number> {
  const fragments = find(inside, 'mvex')
  const header = fragments && find(await listBoxes(bytes, fragments.start, fragments.end), 'mehd')
  if (!header) return 0
  const isLong = (await bytes.read(header.start, 1)).getUint8(0) === 1
  const field = await bytes.read(header.start + 4, isLong ? 8 : 4)
  return isLong ? Number(field.getBigUint64(0)) : field.getUint32(0)
}

function find(boxes: readonly Box[], type: string): Box | undefined {
  return boxes.find((box) => box.type === type)
}
