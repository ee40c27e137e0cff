import { resolveRange } from '../../../clients/object-store/byte-range.ts'
import { isNotModified } from '../../../http/output/etags.ts'
import { readRange } from '../../../http/output/ranges.ts'
import { whenReady } from '../../../lib/flow/when-ready.ts'
import { acceptsEncoding } from '../../../lib/net/accepted-encodings.ts'
import { type PlayedEntry, sentBytes } from './directory.ts'
import type { Body, EntryBytes } from './entry-bytes.ts'
import { mediaTypeOf } from './media-types.ts'

export interface EntrySource {
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
  const wanted = sent.has('range') ? readRange(sent, headers['etag'] ?? '') : null
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
