import { sha256Hex } from '../../../src/lib/bytes/hash.ts'

/** Bytes that the store answered for. */
interface AnsweredWrite {
  sha256: string
  isRefused: boolean
}

/** The way of one device to the store: it knows every write that was answered on it, and can stop at any request. */
export interface SaveDoor extends Disposable {
  url: string
  /** Where the store is. */
  target: string
  /** By their revisions. */
  answered: Map<string, AnsweredWrite>
  /** If set, sees each request first; what it throws breaks the connection. */
  onRequest: ((request: Request, forward: () => Promise<Response>) => Promise<Response>) | null
}

interface WriteAnswer {
  data?: { revision?: string; yours_kept_as?: string | null }
}

export function openSaveDoor(target: string): SaveDoor {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, idleTimeout: 120, fetch: pass })
  const door: SaveDoor = {
    url: `http://127.0.0.1:${server.port}`,
    target,
    answered: new Map(),
    onRequest: null,
    [Symbol.dispose]: () => void server.stop(true),
  }

  async function pass(request: Request): Promise<Response> {
    try {
      const body = new Uint8Array(await request.arrayBuffer())
      const forward = () => send(request, body)
      return await (door.onRequest ? door.onRequest(request, forward) : forward())
    } catch {
      return new Response(null, { status: 502 })
    }
  }

  async function send({ method, url, headers: sent }: Request, body: Uint8Array): Promise<Response> {
    const { pathname, search } = new URL(url)
    const headers = new Headers(sent)
    headers.delete('host')
    headers.set('accept-encoding', 'identity')
    const answer = await fetch(door.target + pathname + search, {
      method,
      headers,
      ...(body.length > 0 && { body: body.slice() }),
      redirect: 'manual',
      // A connection to a killed server is of no use for the next one.
      keepalive: false,
    })
    const bytes = new Uint8Array(await answer.arrayBuffer())
    if (method === 'PUT') note(answer.status, bytes, sha256Hex(body))
    const { status } = answer
    const kept = new Headers(answer.headers)
    for (const name of ['content-length', 'transfer-encoding', 'connection']) kept.delete(name)
    return new Response(status === 304 ? null : bytes, { status, headers: kept })
  }

  function note(status: number, bytes: Uint8Array, sha256: string): void {
    if (status !== 201 && status !== 412) return
    const { data } = JSON.parse(Buffer.from(bytes).toString()) as WriteAnswer
    const isRefused = status === 412
    const revision = isRefused ? data?.yours_kept_as : data?.revision
    if (revision) door.answered.set(revision, { sha256, isRefused })
  }

  return door
}
