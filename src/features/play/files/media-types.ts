import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'

const ENCODINGS: Readonly<Record<string, string>> = { br: 'br', gz: 'gzip' }

export interface MediaType {
  type: string
  /** How the content of the entry itself is compressed; null: it is not. */
  encoding: string | null
}

const EXTENSIONS_MAX = 500
const typeByExtension = new BoundedCache<{ type: string }>({ maxEntries: EXTENSIONS_MAX })

/** By the extension; a compressed file has the type of the name before its last extension. */
export function mediaTypeOf(path: string): MediaType {
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
