import { type ByteSource, createBlockReader } from '../zip/block-reader.ts'
import { type VideoFacts, VideoFault } from './container.ts'
import { readMp4 } from './mp4.ts'
import { readWebm } from './webm.ts'

/** The bytes by which the format is known. */
export const VIDEO_HEAD_BYTES = 12
const EBML = 0x1a45dfa3
const BLOCK_BYTES = 256 * 1024
/** Headers that are read; a file of the allowed size has a few hundred. */
const READS_MAX = 20_000

export type VideoFormat = 'mp4' | 'webm'

/** By the first bytes, ignoring what the client says. */
export function sniffVideo(head: Uint8Array): VideoFormat | null {
  if (head.length < VIDEO_HEAD_BYTES) return null
  const bytes = Buffer.from(head.buffer, head.byteOffset, head.byteLength)
  if (bytes.readUInt32BE(0) === EBML) return 'webm'
  return bytes.toString('latin1', 4, 8) === 'ftyp' ? 'mp4' : null
}

const READERS = { mp4: readMp4, webm: readWebm } as const

/** Walks the headers of a container, wherever they are; its pictures are not decoded. */
export async function readVideoFacts(source: ByteSource, format: VideoFormat): Promise<VideoFacts> {
  const blocks = createBlockReader(source, BLOCK_BYTES)
  let reads = 0
  const facts = await READERS[format]({
    size: source.size,
    async read(start, length) {
      reads += 1
      if (reads > READS_MAX) throw new VideoFault('has too many parts.')
      if (start + length > source.size) throw new VideoFault('is truncated: a part of it is missing.')
      const bytes = await blocks.read(start, length)
      return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    },
  })
  if (facts.width < 1 || facts.height < 1) throw new VideoFault('has a video track without a size.')
  return facts
}
