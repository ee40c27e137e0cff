import { sha256Hex } from '../../../src/lib/bytes/hash.ts'
import { createUid } from '../../../src/lib/ids.ts'

interface Revision {
  revision: string
  bytes: Buffer
  size: number
  sha256: string
  device: string | null
  note: null
  at: string
  refused: boolean
}

interface Slot {
  current: string | null
  revisions: Revision[]
}

/** The saves of one player and game, as the store's API has them, that can be made to fail. */
export class SavesDouble {
  readonly slots = new Map<string, Slot>()
  /** Every write, accepted or not. */
  writes = 0
  reads = 0
  /** If set, answers instead; null lets the request through. */
  onRequest: ((request: Request) => Response | null | Promise<Response | null>) | null = null
  /** If set, replaces an answer that is ready; the write has happened. */
  onAnswer: ((request: Request, response: Response) => Response | Promise<Response>) | null = null
  clock = () => new Date()

  handle = async (request: Request): Promise<Response> => {
    const given = await this.onRequest?.(request)
    if (given) return given
    const answer = await this.#answer(request)
    return (await this.onAnswer?.(request, answer)) ?? answer
  }

  /** As another device writes. */
  write(name: string, bytes: Uint8Array, refused = false): string {
    const slot = this.slots.get(name) ?? { current: null, revisions: [] }
    this.slots.set(name, slot)
    const revision = createUid()
    const [copy, at] = [Buffer.from(bytes), this.clock().toISOString()]
    const described = { device: 'another device', note: null, at, refused }
    slot.revisions.unshift({
      revision,
      bytes: copy,
      size: copy.length,
      sha256: sha256Hex(copy),
      ...described,
    })
    if (!refused) slot.current = revision
    return revision
  }

  current(name: string): Revision | null {
    const slot = this.slots.get(name)
    return slot?.revisions.find(({ revision }) => revision === slot.current) ?? null
  }

  /** Whether these bytes were ever accepted or refused. */
  has(name: string, sha256: string): boolean {
    return this.slots.get(name)?.revisions.some((one) => one.sha256 === sha256) ?? false
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname, searchParams } = new URL(request.url)
    const [, rest = ''] = pathname.split('/saves')
    const [, name = '', action] = rest.split('/').map(decodeURIComponent)
    if (name === '') return ok({ slots: this.#list(), quota: { used: 0, limit: 200 } })
    const slot = this.slots.get(name)
    if (request.method === 'PUT') return await this.#put(request, name)
    if (!slot) return fail(404, 4040)
    if (action === 'revisions') return ok(this.#page(slot, searchParams))
    if (action === 'restore') {
      const { revision } = (await request.json()) as { revision: string }
      const old = slot.revisions.find((one) => one.revision === revision)
      if (!old) return fail(404, 4040)
      return ok({ revision: this.write(name, old.bytes), size: old.size, sha256: old.sha256 })
    }
    this.reads += 1
    const wanted = searchParams.get('revision') ?? slot.current
    const found = slot.revisions.find(({ revision }) => revision === wanted)
    if (!found) return fail(404, 4040)
    return new Response(found.bytes, {
      headers: { 'content-type': 'application/octet-stream', etag: `"${found.revision}"` },
    })
  }

  #list(): object[] {
    return [...this.slots.keys()].flatMap((slot) => {
      const found = this.current(slot)
      if (!found) return []
      return [{ slot, ...describe(found), deleted_at: null }]
    })
  }

  #page({ revisions, current }: Slot, query: URLSearchParams): object {
    const [page, size] = [Number(query.get('page') ?? 1), Number(query.get('page_size') ?? 20)]
    const items = revisions.slice((page - 1) * size, page * size).map((one) => ({
      ...describe(one),
      refused: one.refused,
      current: one.revision === current,
    }))
    return { items, total: revisions.length, page, page_size: size }
  }

  async #put(request: Request, name: string): Promise<Response> {
    const bytes = Buffer.from(await request.arrayBuffer())
    const match = /^"(.+)"$/.exec(request.headers.get('if-match') ?? '')?.[1]
    if (match === undefined && request.headers.get('if-none-match') !== '*') return fail(428, 4000)
    if (request.headers.get('x-checksum-sha256') !== sha256Hex(bytes)) return fail(400, 4046)
    this.writes += 1
    const current = this.slots.get(name)?.current ?? null
    if (current !== (match ?? null)) {
      const kept = this.write(name, bytes, true)
      return fail(412, 4123, { theirs: current, yours_kept_as: kept })
    }
    const revision = this.write(name, bytes)
    const written = { revision, size: bytes.length, sha256: sha256Hex(bytes) }
    return Response.json({ success: true, data: written }, { status: 201 })
  }
}

function describe({ revision, size, sha256, device, note, at }: Revision): object {
  return { revision, size, sha256, device, note, at, play_minutes: 0 }
}

const ok = (data: unknown) => Response.json({ success: true, data })

export function fail(status: number, code: number, data?: object): Response {
  const error = { code, message: `Refused by ${code}.` }
  return Response.json({ success: false, error, ...(data && { data }) }, { status })
}
