import { join } from 'node:path'

import type { Person } from '../people.ts'

const FOLDER = join(import.meta.dir, 'videos')

/** Two seconds of 64×36, made with ffmpeg: H.264 and VP8. */
export const SMALL_MP4 = Bun.file(join(FOLDER, 'small.mp4'))
export const SMALL_WEBM = Bun.file(join(FOLDER, 'small.webm'))

export interface SentVideo {
  file?: Blob
  poster?: Blob
  url?: string
}

/** Adds a video as the website's form does. */
export async function addVideo(person: Person, gameUid: string, sent: SentVideo): Promise<Response> {
  const body = new FormData()
  for (const [name, value] of Object.entries(sent)) body.set(name, value)
  return await person.fetch(`/api/v1/private/games/${gameUid}/videos`, { method: 'POST', body })
}

/** A box of an MP4. */
export function box(type: string, ...content: Uint8Array[]): Buffer {
  const size = Buffer.alloc(4)
  size.writeUInt32BE(8 + content.reduce((sum, { length }) => sum + length, 0))
  return Buffer.concat([size, Buffer.from(type, 'latin1'), ...content])
}
