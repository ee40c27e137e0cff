import { hostArchitectures } from '../../../src/cli/install/choose-build.ts'
import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../src/lib/ids.ts'
import { createBlockReader } from '../../../src/lib/zip/block-reader.ts'
import { BlockCheck } from '../../../src/lib/zip/blocks.ts'
import { type ContentsEntry, encodeContents } from '../../../src/lib/zip/contents.ts'
import { readDirectory } from '../../../src/lib/zip/directory.ts'
import { readEntry } from '../../../src/lib/zip/entry-stream.ts'
import { readLocalHeader } from '../../../src/lib/zip/local-header.ts'
import { packContents } from '../files/packed-zip.ts'

/** A build that the store offers; tests change it to let the store lie. */
export interface OfferedBuild {
  fileUid: string
  version: string
  zip: Buffer
  document: Uint8Array
  entries: ContentsEntry[]
  installedSize: number | null
  launch: { path: string; args?: string[] } | null
  saves: unknown
}

/** The routes for installing, without an account system behind them, that can be made to fail or to lie. */
export interface InstallStore {
  url: string
  game: { uid: string; vanity_name: string; name: string }
  /** As `shelf push` packs it. */
  offer(contents: Readonly<Record<string, Uint8Array>>, version?: string): Promise<OfferedBuild>
  build: OfferedBuild | null
  /** Bytes of the zip that were sent. */
  sent: number
  /** Every `for` of a link, in order. */
  reasons: string[]
  ranges: string[]
  /** Of every request. */
  authorizations: Set<string | null>
  /** If set, answers requests for bytes. */
  onRange:
    ((request: Request, bytes: Uint8Array) => Response | Uint8Array | Promise<Response | Uint8Array>) | null
  /** If set, answers requests for contents. */
  onContents: (() => Response) | null
  /** If set, answers what is below the saves of the game. */
  onSaves: ((request: Request) => Response | Promise<Response>) | null
  /** Links carry this; older ones are refused. */
  generation: number
  etag: string
  stop(): Promise<void>
}

const LIFE_SECONDS = 300
/** Sent piece by piece, so that a killed client has not received all that was read for it. */
const CHUNK = 64 * 1024

export async function startInstallStore(): Promise<InstallStore> {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer, idleTimeout: 60 })
  const store: InstallStore = {
    url: `http://127.0.0.1:${server.port}`,
    game: { uid: createUid(), vanity_name: 'moss-garden', name: 'Moss Garden' },
    build: null,
    sent: 0,
    reasons: [],
    ranges: [],
    authorizations: new Set(),
    onRange: null,
    onContents: null,
    onSaves: null,
    generation: 0,
    etag: '"1"',
    async offer(contents, version = '1.0.0') {
      const zip = await packContents(contents)
      const entries = await describeZip(zip)
      const encoded = await encodeContents(entries, zip.length)
      store.build = {
        fileUid: createUid(),
        version,
        zip,
        document: encoded?.document ?? Buffer.alloc(0),
        entries,
        installedSize: entries.reduce((sum, { size }) => sum + size, 0),
        launch: null,
        saves: null,
      }
      return store.build
    },
    async stop() {
      await server.stop(true)
    },
  }
  const ok = (data: unknown) => Response.json({ success: true, data })
  const fail = (status: number, code: number) =>
    Response.json({ success: false, error: { code, message: `Refused by ${code}.` } }, { status })

  async function answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const { build } = store
    store.authorizations.add(request.headers.get('authorization'))
    if (store.onSaves && pathname.includes('/saves')) return await store.onSaves(request)
    if (!build) return fail(404, 4040)
    if (pathname.endsWith('/builds')) return ok(describeBuilds(store, build))
    if (pathname.endsWith('/contents')) {
      if (store.onContents) return store.onContents()
      return new Response(build.document, { headers: { 'content-type': 'application/octet-stream' } })
    }
    if (pathname.endsWith('/download')) {
      store.reasons.push(searchParams.get('for') ?? '')
      const url = `${store.url}/zip?generation=${store.generation}`
      return ok({ url, expires_in: LIFE_SECONDS, filename: 'x.zip', checksum: sha256Hex(build.zip) })
    }
    if (pathname === '/zip') return await sendRange(request, build, searchParams)
    return fail(404, 4040)
  }

  async function sendRange(request: Request, build: OfferedBuild, query: URLSearchParams): Promise<Response> {
    if (query.get('generation') !== String(store.generation)) return new Response('expired', { status: 403 })
    const range = request.headers.get('range') ?? ''
    store.ranges.push(range)
    const [, from = '', to = ''] = /^bytes=(\d+)-(\d+)$/.exec(range) ?? []
    const [start, end] = [Number(from), Number(to) + 1]
    const bytes = build.zip.subarray(start, end)
    const given = (await store.onRange?.(request, bytes)) ?? bytes
    if (given instanceof Response) return given
    const headers = {
      'content-range': `bytes ${start}-${end - 1}/${build.zip.length}`,
      'content-length': String(given.length),
      etag: store.etag,
    }
    return new Response(stream(given), { status: 206, headers })
  }

  function stream(bytes: Uint8Array): ReadableStream<Uint8Array> {
    let at = 0
    return new ReadableStream(
      {
        pull(controller) {
          const piece = bytes.slice(at, at + CHUNK)
          at += piece.length
          store.sent += piece.length
          if (piece.length > 0) controller.enqueue(piece)
          if (at >= bytes.length) controller.close()
        },
      },
      { highWaterMark: 0 },
    )
  }

  return store
}

function describeBuilds({ game }: InstallStore, build: OfferedBuild): object {
  const file = {
    file_uid: build.fileUid,
    filename: 'x.zip',
    size: build.zip.length,
    checksum: sha256Hex(build.zip),
    blocks: true,
    installed_size: build.installedSize,
    launch: build.launch,
    saves: build.saves,
  }
  const target = {
    channel: 'stable',
    app: 'main',
    app_name: 'Game',
    os: 'linux',
    arch: hostArchitectures('linux', process.arch)[0],
  }
  return { game, builds: [{ ...target, version: build.version, build_id: createUid(), files: [file] }] }
}

/** As the scan describes a zip. */
async function describeZip(zip: Buffer): Promise<ContentsEntry[]> {
  const reader = createBlockReader({
    size: zip.length,
    read: async (start, end) => zip.subarray(start, end),
  })
  const entries: ContentsEntry[] = []
  for (const entry of await readDirectory(reader)) {
    if (entry.isFolder) continue
    const { start: dataAt } = await readLocalHeader(reader, entry)
    const check = new BlockCheck(reader, entry, dataAt)
    const hasher = new Bun.CryptoHasher('sha256')
    for await (const piece of check.watch(readEntry(reader, entry))) hasher.update(piece)
    const { path, packedSize: packed, size, mode, isDeflated } = entry
    const sha256 = hasher.digest('hex')
    entries.push({
      path,
      dataAt,
      packed,
      size,
      method: isDeflated ? 8 : 0,
      mode,
      sha256,
      blocks: check.blocks,
    })
  }
  return entries
}
