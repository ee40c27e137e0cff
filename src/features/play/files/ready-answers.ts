import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { acceptsEncoding } from '../../../lib/net/accepted-encodings.ts'
import { type PlayedEntry, sentBytes } from './directory.ts'

/** The largest file whose answer is kept, and all of them together in a process. */
const ANSWER_BYTES_MAX = 64 * 1024
const CACHE_BYTES = 16 * 1024 ** 2
/** Of its headers. */
const HEADER_BYTES = 2048

interface Ready {
  answer: Response
  bytes: number
}

/** Whole answers with small files: to clone one costs half as much as to make it. */
export interface ReadyAnswers {
  /** Of a request that `takesReady`. `name` stands for the file and all that its headers depend on. */
  find(name: string): Response | null
  keep(name: string, entry: PlayedEntry, answer: Response): void
}

export function createReadyAnswers(): ReadyAnswers {
  const cached = new BoundedCache<Ready>({ maxBytes: CACHE_BYTES, bytesOf: ({ bytes }) => bytes })
  return {
    find: (name) => (cached.get(name)?.answer.clone() as Response | undefined) ?? null,
    keep(name, entry, answer) {
      const bytes = sentBytes(entry)
      if (answer.status !== 200 || bytes > ANSWER_BYTES_MAX) return
      cached.set(name, { answer: answer.clone() as Response, bytes: bytes + HEADER_BYTES })
    },
  }
}

/** Whether the request is for a whole file, as nearly all are. */
export function takesReady({ method, headers }: Request): boolean {
  return (
    method === 'GET' &&
    headers.get('if-none-match') === null &&
    headers.get('range') === null &&
    acceptsEncoding(headers, 'gzip')
  )
}
