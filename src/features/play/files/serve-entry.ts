import { resolveRange } from '../../../clients/object-store/byte-range.ts'
import type { ObjectStore } from '../../../clients/object-store/object-store.ts'
import { isNotModified } from '../../../http/output/etags.ts'
import { readRange } from '../../../http/output/ranges.ts'
import { acceptsEncoding } from '../../../lib/net/accepted-encodings.ts'
import { openGzip, openInflated, openRange } from './bodies.ts'
import type { PlayedEntry } from './directory.ts'
import { mediaTypeOf } from './media-types.ts'

export interface EntrySource {
  store: Pick<ObjectStore, 'get' | 'localPath'>
  /** Called for every entry that is inflated. */
  onInflate(): void
}

/** Answers a GET or HEAD of one entry of a stored zip; `headers` are those of the play origin. */
export async function serveEntry(
  source: EntrySource,
  objectKey: string,
  entry: PlayedEntry,
  request: Request,
  headers: Record<string, string>,
): Promise<Response> {
  const etag = `"${entry.sha256}"`
  headers['etag'] = etag
  headers['cache-control'] = 'no-cache'
  if (entry.isDeflated) headers['vary'] = 'accept-encoding'
  else headers['accept-ranges'] = 'bytes'
  if (isNotModified(request, etag)) return new Response(null, { status: 304, headers })
  const { type, encoding } = mediaTypeOf(entry.path)
  headers['content-type'] = type
  if (entry.isDeflated) return await serveDeflated(source, objectKey, entry, request, headers, encoding)
  if (encoding !== null) headers['content-encoding'] = encoding
  return await serveStored(source, objectKey, entry, request, headers)
}

async function serveDeflated(
  { store, onInflate }: EntrySource,
  objectKey: string,
  entry: PlayedEntry,
  { method, headers: sent }: Request,
  headers: Record<string, string>,
  encoding: string | null,
): Promise<Response> {
  const asGzip = acceptsEncoding(sent, 'gzip')
  const encodings = [...(encoding === null ? [] : [encoding]), ...(asGzip ? ['gzip'] : [])]
  if (encodings.length > 0) headers['content-encoding'] = encodings.join(', ')
  if (method === 'HEAD') return new Response(null, { headers })
  if (asGzip) return new Response(await openGzip(store, objectKey, entry), { headers })
  onInflate()
  return new Response(await openInflated(store, objectKey, entry), { headers })
}

async function serveStored(
  { store }: EntrySource,
  objectKey: string,
  { dataAt, size }: PlayedEntry,
  { method, headers: sent }: Request,
  headers: Record<string, string>,
): Promise<Response> {
  const wanted = readRange(sent, headers['etag'] ?? '')
  const range = wanted && resolveRange(wanted, size)
  if (wanted && !range) {
    return new Response(null, { status: 416, headers: { ...headers, 'content-range': `bytes */${size}` } })
  }
  const { start, end } = range ?? { start: 0, end: size - 1 }
  if (range) headers['content-range'] = `bytes ${start}-${end}/${size}`
  const status = range ? 206 : 200
  if (method === 'HEAD') {
    headers['content-length'] = String(end + 1 - start)
    return new Response(null, { status, headers })
  }
  return new Response(await openRange(store, objectKey, dataAt + start, end + 1 - start), { status, headers })
}
