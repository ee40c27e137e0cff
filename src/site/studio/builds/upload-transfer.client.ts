import { type Answer, call, type Session } from './upload-calls.client.ts'

const CHUNK = 16 * 1024 * 1024
const FIRST_PAUSE_MS = 500
const LONGEST_PAUSE_MS = 10_000

/** What the page shows of a transfer. */
interface TransferView {
  onProgress(sent: number): void
  onState(state: 'sending' | 'waiting' | 'paused', message?: string): void
}

/** The session has expired or was cancelled elsewhere. */
export class SessionGone extends Error {}
/** The server refused for a reason that trying again does not change. */
export class Refused extends Error {}
/** The user cancelled. */
export class Cancelled extends Error {}

/** Sends a file in chunks, from the offset that the server has, until it is complete. */
export class Transfer {
  #stop = new AbortController()
  #resumed: PromiseWithResolvers<void> | null = null
  #isCancelled = false
  #failures = 0

  constructor(
    private readonly url: string,
    private readonly file: File,
    private readonly session: Pick<Session, 'session_id' | 'current_size'>,
    private readonly view: TransferView,
  ) {}

  pause(message?: string): void {
    this.#resumed ??= Promise.withResolvers()
    this.#stop.abort()
    this.view.onState('paused', message)
  }

  resume(): void {
    this.#stop = new AbortController()
    this.#resumed?.resolve()
    this.#resumed = null
  }

  cancel(): void {
    this.#isCancelled = true
    this.#stop.abort()
    this.#resumed?.resolve()
  }

  async run(): Promise<void> {
    let at: number | null = this.session.current_size
    for (;;) {
      await this.#untilResumed()
      at ??= await this.#locate()
      if (at === null) continue
      this.view.onState('sending')
      this.view.onProgress(at)
      const answer = await this.#send(at)
      if (answer.status === 201) return
      at = await this.#next(answer)
    }
  }

  /** Sending the last byte again completes an upload whose response was lost. */
  async #send(at: number): Promise<Answer<Session>> {
    const { file, session } = this
    const start = Math.min(at, file.size - 1)
    const end = Math.min(start + CHUNK, file.size)
    const body = new FormData()
    body.set('file', file.slice(start, end), 'chunk')
    return await call<Session>('POST', `${this.url}/files`, {
      body,
      headers: {
        'X-Upload-Session-ID': session.session_id,
        'Content-Range': `bytes ${start}-${end - 1}/${file.size}`,
      },
      onProgress: (sent) => this.view.onProgress(Math.min(start + sent, end)),
      signal: this.#stop.signal,
    })
  }

  /** The next offset after a response; null if the server has to be asked for it. */
  async #next({ status, code, message, data, retryAfter }: Answer<Session>): Promise<number | null> {
    if (status === 202 && data.current_size !== undefined) {
      this.#failures = 0
      return data.current_size
    }
    if (this.#stop.signal.aborted) return null
    if (status === 404) throw new SessionGone(message)
    if (status === 401 || status === 403) {
      this.pause(`${message} Then resume.`)
      return null
    }
    if (status === 0) await this.#requireReadable()
    const canRetry = status === 0 || status === 409 || status === 429 || status >= 500
    if (!canRetry) throw new Refused(message)
    // A wrong offset is corrected immediately, but only once in a row, so that this cannot loop.
    if (code === 4044 && data.current_size !== undefined && this.#failures === 0) {
      this.#failures = 1
      return data.current_size
    }
    await this.#wait(retryAfter * 1000)
    return null
  }

  async #locate(): Promise<number | null> {
    const answer = await call<Session>('GET', `${this.url}/sessions/${this.session.session_id}`, {
      signal: this.#stop.signal,
    })
    if (answer.status === 200 && answer.data.current_size !== undefined) return answer.data.current_size
    return await this.#next(answer)
  }

  /** Reads a byte, because sending a changed or removed file fails like a lost connection. */
  async #requireReadable(): Promise<void> {
    try {
      await this.file.slice(0, 1).arrayBuffer()
    } catch {
      throw new Refused('The file was changed or removed while it was being sent. Choose it again.')
    }
  }

  /** Waits before a retry; ends early when the browser is online again. */
  async #wait(leastMs: number): Promise<void> {
    const pause = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** this.#failures)
    this.#failures += 1
    this.view.onState('waiting')
    const { signal } = this.#stop
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, Math.max(leastMs, pause))
      const wake = () => {
        clearTimeout(timer)
        resolve()
      }
      if (leastMs === 0) addEventListener('online', wake, { once: true, signal })
      signal.addEventListener('abort', wake, { once: true })
    })
  }

  async #untilResumed(): Promise<void> {
    await this.#resumed?.promise
    if (this.#isCancelled) throw new Cancelled()
  }
}
