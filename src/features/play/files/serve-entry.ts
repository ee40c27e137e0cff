import { resolveRange } from '../../../clients/objects/object-ranges.ts'
import { isNotModified } from '../../../http/output/caching.ts'
import { parseRange } from '../../../http/output/object-links.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { whenReady } from '../../../lib/flow/with-timeout.ts'
import { acceptsEncoding } from '../../../lib/net/requests.ts'
import { type PlayedEntry, sentBytes } from './directory.ts'
import type { Body, EntryBytes } from './entry-bytes.ts'

const ENCODINGS: Readonly<Record<string, string>> = { br: 'br', gz: 'gzip' }
const EXTENSIONS_MAX = 500
/** Answers kept in memory: the largest file of one, and the size of all in a process. */
const ANSWER_BYTES_MAX = 64 * 1024
const CACHE_BYTES = 16 * 1024 ** 2
/** The estimated size of an answer's headers. */
const HEADER_BYTES = 2048

interface EntrySource {
  bytes: EntryBytes
  /** Called for every entry that is inflated. */
  onInflate(): void
}

/** Answers a GET or HEAD of one entry of a stored zip; `headers` are those of the play origin. */
export function serveEntry(
  source: EntrySource,
  objectKey: string,
  entry: PlayedEntry,
  request: Request,
  headers: Record<string, string>,
): Response | Promise<Response> {
  const etag = `"${entry.sha256}"`
  headers['etag'] = etag
  headers['cache-control'] = 'no-cache'
  if (entry.isDeflated) headers['vary'] = 'accept-encoding'
  else headers['accept-ranges'] = 'bytes'
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  const { type, encoding } = mediaTypeOf(entry.path)
  headers['content-type'] = type
  if (encoding !== null) headers['content-encoding'] = encoding
  return entry.isDeflated
    ? serveDeflated(source, objectKey, entry, request, headers)
    : serveStored(source, objectKey, entry, request, headers)
}

function serveDeflated(
  { bytes, onInflate }: EntrySource,
  objectKey: string,
  entry: PlayedEntry,
  { method, headers: sent }: Request,
  headers: Record<string, string>,
): Response | Promise<Response> {
  const asGzip = acceptsEncoding(sent, 'gzip')
  const own = headers['content-encoding']
  if (asGzip) headers['content-encoding'] = own === undefined ? 'gzip' : `${own}, gzip`
  if (method === 'HEAD') {
    headers['content-length'] = String(asGzip ? sentBytes(entry) : entry.size)
    return new Response(null, { headers })
  }
  if (asGzip) return send(bytes.open(objectKey, entry), { headers })
  onInflate()
  return send(bytes.openInflated(objectKey, entry), { headers })
}

function serveStored(
  { bytes }: EntrySource,
  objectKey: string,
  entry: PlayedEntry,
  { method, headers: sent }: Request,
  headers: Record<string, string>,
): Response | Promise<Response> {
  const { size } = entry
  const wanted = sent.has('range') ? parseRange(sent, headers['etag'] ?? '') : null
  const range = wanted && resolveRange(wanted, size)
  if (wanted && !range) {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  }
  if (range) headers['content-range'] = `bytes ${range.start}-${range.end}/${size}`
  const status = range ? 206 : 200
  if (method === 'HEAD') {
    headers['content-length'] = String(range ? range.end + 1 - range.start : size)
    return new Response(null, { status, headers })
  }
  return send(range ? bytes.openPart(objectKey, entry, range) : bytes.open(objectKey, entry), {
    status,
    headers,
  })
}

function send(body: Body | Promise<Body>, init: ResponseInit): Response | Promise<Response> {
  return whenReady(body, (ready) => new Response(ready, init))
}

interface MediaType {
  type: string
  /** How the content of the entry itself is compressed; null: it is not. */
  encoding: string | null
}

const typeByExtension = new BoundedCache<{ type: string }>({ maxEntries: EXTENSIONS_MAX })

/** By the extension; a compressed file has the type of the name before its last extension. */
function mediaTypeOf(path: string): MediaType {
  const extension = path.slice(path.lastIndexOf('.') + 1).toLowerCase()
  const encoding = ENCODINGS[extension] ?? null
  const name = encoding === null ? path : path.slice(0, path.lastIndexOf('.'))
  return { type: typeByName(name), encoding }
}

/** From the runtime's own table, which has application/octet-stream for what it does not know. */
function typeByName(name: string): string {
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  const known = typeByExtension.get(extension)
  if (known) return known.type
  const { type } = Bun.file(`x.${extension.replaceAll(/[^a-z0-9]/g, '')}`)
  typeByExtension.set(extension, { type })
  return type
}

interface Ready {
  answer: Response
  bytes: number
}

/** Keeps whole answers with small files: cloning one costs half as much as making it. */
interface ReadyAnswers {
  /** For a request that `takesReady`. `name` identifies the file and all that its headers depend on. */
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

/** Whether the request takes a whole file that may be gzipped, as nearly all do. */
export function takesReady({ method, headers }: Request): boolean {
  return (
    method === 'GET' &&
    headers.get('if-none-match') === null &&
    headers.get('range') === null &&
    acceptsEncoding(headers, 'gzip')
  )
}
