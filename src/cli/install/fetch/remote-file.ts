import { setTimeout as sleep } from 'node:timers/promises'

import type { DownloadLink } from '../../../features/catalog/downloads/model.ts'
import { freeBuffer } from '../../../lib/flow/buffer-memory.ts'
import { ApiFailure, NetworkFailure } from '../../api/retry.ts'
import { CliError } from '../../cli-error.ts'

const REQUEST_MIN = 128 * 1024
const REQUESTS_PER_SECOND = 4

/** Keeps all connections together below a number of bytes per second. */
export class RateLimiter {
  #freeAt = 0

  constructor(private readonly bytesPerSecond: number | null) {}

  /** The size of one request: the system receives a request's bytes ahead of `take`, at any speed. */
  limitRequest(max: number, connections: number): number {
    if (this.bytesPerSecond === null) return max
    return Math.min(max, Math.max(REQUEST_MIN, this.bytesPerSecond / connections / REQUESTS_PER_SECOND))
  }

  /** Waits until this many bytes more may come. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    if (this.bytesPerSecond === null) return
    const now = performance.now()
    this.#freeAt = Math.max(this.#freeAt, now) + (bytes / this.bytesPerSecond) * 1000
    await sleep(this.#freeAt - now, undefined, { signal })
  }
}

/** Asks the store for a link. */
export type ReadLink = () => Promise<DownloadLink>

interface Link {
  url: string
  /** When a new link is requested. */
  until: number
}

interface RemoteOptions {
  size: number
  limiter: RateLimiter
  signal: AbortSignal
  onBytes: (count: number) => void
}

/** Links are renewed this long before they end. */
const RENEW_MS = 30_000
const LIFE_MIN_MS = 5000
/** Without a byte for this long, a connection is given up. */
const STALL_MS = 60_000
/** A link that was refused may have expired early; a few new ones in a row are refused for another reason. */
const REFUSALS_MAX = 3
const PARTIAL = 206

/** The store sent something other than it announced. The request is repeated a few times only. */
export class ChangedFile extends CliError {
  constructor(message: string) {
    super('different', message, {
      hint: 'Nothing wrong was put in place. Try again later; if it stays so, tell the developer.',
    })
  }
}

/** A file of the store, read by ranges over links that expire. */
export class RemoteFile {
  #link: Promise<Link> | null = null
  /** What was answered last, until it is refused. */
  #current: Link | null = null
  #etag: string | null = null
  #refusals = 0

  constructor(
    private readonly readLink: ReadLink,
    private readonly options: RemoteOptions,
  ) {}

  get size(): number {
    return this.options.size
  }

  limitRequest(max: number, connections: number): number {
    return this.options.limiter.limitRequest(max, connections)
  }

  /**
   * One attempt: exactly the bytes from `start` up to, but not including, `end`. Throws when they end earlier. Pieces cannot
   * be read after the next one was asked for.
   */
  async *stream(start: number, end: number): AsyncGenerator<Uint8Array> {
    const { signal, limiter, onBytes } = this.options
    const link = await this.#openLink()
    const stall = new AbortController()
    let timer: ReturnType<typeof setTimeout> | undefined
    const watch = () => {
      clearTimeout(timer)
      timer = setTimeout(() => stall.abort(new Error('timed out')), STALL_MS)
    }
    let left = end - start
    try {
      watch()
      const response = await this.#request(link, start, end, AbortSignal.any([signal, stall.signal]))
      for await (const bytes of response.body ?? []) {
        watch()
        if (bytes.length > left) throw new ChangedFile('The store sends more than it was asked for.')
        left -= bytes.length
        onBytes(bytes.length)
        await limiter.take(bytes.length, signal)
        watch()
        yield bytes
        freeBuffer(bytes)
      }
      if (left > 0) throw new Error('the connection broke (ECONNRESET)')
    } catch (error) {
      signal.throwIfAborted()
      throw error instanceof CliError ? error : new NetworkFailure(new URL(link.url).origin, error)
    } finally {
      clearTimeout(timer)
    }
  }

  /** All connections use the same link; the first to find it expired asks for another. */
  async #openLink(): Promise<Link> {
    for (;;) {
      const asked = (this.#link ??= this.#ask())
      const link = await asked.catch((error: unknown) => {
        this.#forget(asked)
        throw error
      })
      if (performance.now() < link.until) return link
      this.#forget(asked)
    }
  }

  #forget(link: Promise<Link>): void {
    if (this.#link === link) this.#link = null
  }

  async #ask(): Promise<Link> {
    const { url, expires_in } = await this.readLink()
    if (!/^https?:/i.test(url))
      throw new ChangedFile('The store names an address that is not one of the web.')
    const life = Math.max(LIFE_MIN_MS, expires_in * 1000 - RENEW_MS)
    return (this.#current = { url, until: performance.now() + life })
  }

  /** The link needs no credentials, so none are sent. */
  async #request(link: Link, start: number, end: number, signal: AbortSignal): Promise<Response> {
    const headers: Record<string, string> = {
      range: `bytes=${start}-${end - 1}`,
      'accept-encoding': 'identity',
      ...(this.#etag !== null && { 'if-range': this.#etag }),
    }
    // A compressed response is not unpacked, because the runtime would do it without a limit.
    const response = await fetch(link.url, { headers, signal, timeout: false, decompress: false })
    try {
      this.#check(link, response, start, end)
      return response
    } catch (error) {
      await response.body?.cancel()
      throw error
    }
  }

  #check(link: Link, response: Response, start: number, end: number): void {
    const { status, headers } = response
    if (status === PARTIAL) {
      const etag = headers.get('etag')
      const isSame = this.#etag === null || etag === this.#etag
      const isAsked = headers.get('content-range') === `bytes ${start}-${end - 1}/${this.size}`
      if (isSame && isAsked) {
        this.#refusals = 0
        if (etag?.startsWith('"')) this.#etag = etag
        return
      }
    }
    if (status >= 500 || status === 429) {
      const wait = Number(headers.get('retry-after') ?? Number.NaN)
      const error = { code: status, message: `The store's files cannot be read: it answers ${status}.` }
      throw new ApiFailure(status, { error }, Number.isFinite(wait) ? wait * 1000 : null)
    }
    const isChanged = status === PARTIAL || status === 200 || status === 416
    const message = isChanged
      ? 'The file was replaced on the server while it was fetched.'
      : `The link to the file is refused: ${status}.`
    // All connections use it: its refusal counts once, and the next link stays.
    if (link === this.#current) {
      this.#refusals += 1
      this.#link = null
      this.#current = null
    }
    if (isChanged) this.#etag = null
    if (this.#refusals > REFUSALS_MAX) throw new ChangedFile(message)
    throw new StaleLink(message)
  }
}

/** A link was refused. A new one may work at once. */
export class StaleLink extends CliError {
  constructor(message: string) {
    super('refused', message)
  }
}
