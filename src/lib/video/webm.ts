import { toMs, type VideoBytes, type VideoFacts, VideoFault } from './container.ts'

interface Element {
  id: number
  start: number
  /** The end of the parent for an element of unknown size. */
  end: number
}

const IDS = {
  ebml: 0x1a45dfa3,
  docType: 0x4282,
  segment: 0x18538067,
  info: 0x1549a966,
  timestampScale: 0x2ad7b1,
  duration: 0x4489,
  tracks: 0x1654ae6b,
  trackEntry: 0xae,
  trackType: 0x83,
  video: 0xe0,
  pixelWidth: 0xb0,
  pixelHeight: 0xba,
  cluster: 0x1f43b675,
} as const

const VIDEO_TRACK = 1
const ELEMENTS_MAX = 4096
/** Nanoseconds per unit of time, where it is not stated. */
const SCALE_DEFAULT = 1_000_000

/** EBML: elements of id, size and content. Info and tracks stand before the first cluster. */
export async function readWebm(bytes: VideoBytes): Promise<VideoFacts> {
  const header = await readElement(bytes, 0, bytes.size)
  const docType = (await listElements(bytes, header)).find(({ id }) => id === IDS.docType)
  if (!docType || (await readText(bytes, docType)) !== 'webm') {
    throw new VideoFault('is a Matroska file, but not WebM.')
  }
  const segment = await readElement(bytes, header.end, bytes.size)
  if (segment.id !== IDS.segment) throw new VideoFault('is damaged: it has no segment.')
  const parts = await listElements(bytes, segment, IDS.cluster)
  const tracks = parts.find(({ id }) => id === IDS.tracks)
  if (!tracks || !parts.some(({ id }) => id === IDS.cluster)) {
    throw new VideoFault('is not a complete WebM: tracks or media data are missing.')
  }
  const info = parts.find(({ id }) => id === IDS.info)
  for (const track of await listElements(bytes, tracks)) {
    const size = track.id === IDS.trackEntry ? await readTrack(bytes, track) : null
    if (size) return { ...size, durationMs: info ? await readDuration(bytes, info) : null }
  }
  throw new VideoFault('has no video track.')
}

/** The children of an element, up to the first of one kind. */
async function listElements(bytes: VideoBytes, parent: Element, until?: number): Promise<Element[]> {
  const elements: Element[] = []
  for (let at = parent.start; at < parent.end;) {
    const element = await readElement(bytes, at, parent.end)
    elements.push(element)
    if (element.id === until) break
    if (elements.length > ELEMENTS_MAX) throw new VideoFault('has too many parts.')
    at = element.end
  }
  return elements
}

async function readElement(bytes: VideoBytes, at: number, limit: number): Promise<Element> {
  const id = await readNumber(bytes, at, 4, true)
  const size = await readNumber(bytes, at + id.length, 8, false)
  const start = at + id.length + size.length
  const end = size.value === null ? limit : start + size.value
  if (end > limit) throw new VideoFault('is truncated: a part of it is missing.')
  return { id: id.value ?? 0, start, end }
}

/** The number of leading zero bits of the first byte says how many bytes follow. Null where all bits are set. */
async function readNumber(
  bytes: VideoBytes,
  at: number,
  most: number,
  keepsMarker: boolean,
): Promise<{ value: number | null; length: number }> {
  const first = (await bytes.read(at, 1)).getUint8(0)
  const length = Math.clz32(first) - 23
  if (first === 0 || length > most) throw new VideoFault('is damaged: a part of it has no valid size.')
  const field = await bytes.read(at, length)
  const marker = 1 << (8 - length)
  let value = keepsMarker ? first : first & (marker - 1)
  let isUnknown = (first & (marker - 1)) === marker - 1
  for (let index = 1; index < length; index += 1) {
    const byte = field.getUint8(index)
    value = value * 256 + byte
    isUnknown &&= byte === 0xff
  }
  return { value: isUnknown && !keepsMarker ? null : value, length }
}

async function readTrack(
  bytes: VideoBytes,
  track: Element,
): Promise<Pick<VideoFacts, 'width' | 'height'> | null> {
  const fields = await listElements(bytes, track)
  const type = fields.find(({ id }) => id === IDS.trackType)
  const video = fields.find(({ id }) => id === IDS.video)
  if (!type || !video || (await readUnsigned(bytes, type)) !== VIDEO_TRACK) return null
  const sizes = await listElements(bytes, video)
  const readSize = async (wanted: number) => {
    const field = sizes.find(({ id }) => id === wanted)
    return field ? await readUnsigned(bytes, field) : 0
  }
  return { width: await readSize(IDS.pixelWidth), height: await readSize(IDS.pixelHeight) }
}

async function readDuration(bytes: VideoBytes, info: Element): Promise<number | null> {
  const fields = await listElements(bytes, info)
  const duration = fields.find(({ id }) => id === IDS.duration)
  if (!duration) return null
  const scale = fields.find(({ id }) => id === IDS.timestampScale)
  const length = duration.end - duration.start
  if (length !== 4 && length !== 8) return null
  const field = await bytes.read(duration.start, length)
  const units = length === 4 ? field.getFloat32(0) : field.getFloat64(0)
  return toMs((units * (scale ? await readUnsigned(bytes, scale) : SCALE_DEFAULT)) / 1e9)
}

async function readUnsigned(bytes: VideoBytes, { start, end }: Element): Promise<number> {
  const length = end - start
  if (length > 8) throw new VideoFault('is damaged: a part of it has no valid size.')
  const field = await bytes.read(start, length)
  let value = 0
  for (let index = 0; index < length; index += 1) value = value * 256 + field.getUint8(index)
  return value
}

const TEXT_MAX = 32

async function readText(bytes: VideoBytes, { start, end }: Element): Promise<string> {
  const field = await bytes.read(start, Math.min(end - start, TEXT_MAX))
  const text = new TextDecoder('latin1').decode(field)
  return text.replaceAll('\0', '')
}
