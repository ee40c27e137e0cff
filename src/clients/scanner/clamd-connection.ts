import type { Socket, SocketHandler } from 'bun'

import { createSemaphore } from '../../lib/flow/semaphore.ts'
import { ScannerError } from './scanner.ts'

export type ClamdAddress = { host: string; port: number } | { path: string }

interface ClamdTimeouts {
  connectMs: number
  /** For accepting bytes and for responding; a large archive takes clamd minutes. */
  answerMs: number
}

/** One session with clamd: commands run one after another, with one reply each. */
export interface ClamdConnection {
  write(bytes: Uint8Array): Promise<void>
  /** The next reply, without its number. */
  readAnswer(): Promise<string>
  /** Whether a reply has already arrived, which means that clamd reads no further. */
  hasAnswer(): boolean
  isOpen(): boolean
  close(): void
}

/**
 * A socket of Bun, not of `node:net`: clamd replies and hangs up in the middle of a file that is too large, and the
 * latter discards a reply that arrives together with a failed write.
 */
export async function openClamd(address: ClamdAddress, timeouts: ClamdTimeouts): Promise<ClamdConnection> {
  const answers: string[] = []
  let text = ''
  let socket: Socket | null = null
  let failure: ScannerError | null = null
  let wake: () => void = () => undefined

  function fail(error: ScannerError): void {
    failure ??= error
    socket?.terminate()
    wake()
  }

  /** Waits until `isReady`; throws if the connection fails or times out. */
  async function waitUntil(isReady: () => boolean, timeoutMs: number): Promise<void> {
    const timer = setTimeout(
      () => fail(new ScannerError('down', `clamd at ${nameOf(address)} did not answer in time`)),
      timeoutMs,
    )
    try {
      while (!isReady()) {
        if (failure) throw failure
        await new Promise<void>((resolve) => (wake = resolve))
      }
    } finally {
      clearTimeout(timer)
    }
  }

  /** Once clamd has replied it reads no more, and nothing more is sent. */
  async function write(bytes: Uint8Array): Promise<void> {
    let sent = 0
    const isSent = () => {
      if (answers.length > 0) return true
      // Negative when the connection has ended; then the reply, if there is one, is about to arrive.
      if (failure === null) sent += Math.max(0, socket?.write(bytes.subarray(sent)) ?? 0)
      return sent === bytes.length
    }
    await waitUntil(isSent, timeouts.answerMs)
  }

  const handlers: SocketHandler<undefined> = {
    open(opened) {
      socket = opened
      opened.setNoDelay(true)
      if (failure) opened.terminate()
      wake()
    },
    data(_, piece) {
      const parts = (text + piece.toString('latin1')).split('\0')
      text = parts.pop() ?? ''
      answers.push(...parts)
      wake()
    },
    drain: () => wake(),
    close: () => fail(describeEnd(address, text)),
    error: (_, error) => fail(describeEnd(address, text, error)),
  }
  const opening =
    'path' in address
      ? Bun.connect({ unix: address.path, socket: handlers })
      : Bun.connect({ hostname: address.host, port: address.port, socket: handlers })
  opening.catch((error: Error) => fail(describeEnd(address, text, error)))
  await waitUntil(() => socket !== null, timeouts.connectMs)
  await write(commandOf('IDSESSION'))
  return {
    write,
    async readAnswer() {
      await waitUntil(() => answers.length > 0, timeouts.answerMs)
      return (answers.shift() ?? '').replace(/^\d+: /, '')
    },
    hasAnswer: () => answers.length > 0,
    isOpen: () => failure === null,
    close: () => fail(new ScannerError('down', 'The connection to clamd was closed')),
  }
}

/** The leading z asks for replies that end with a zero byte. */
export function commandOf(name: string): Uint8Array {
  return Buffer.from(`z${name}\0`)
}

export function nameOf(address: ClamdAddress): string {
  return 'path' in address ? address.path : `${address.host}:${address.port}`
}

/** clamd terminates every reply, so an unterminated one came from another program. */
function describeEnd(address: ClamdAddress, text: string, cause?: Error): ScannerError {
  if (text !== '') {
    return new ScannerError('answer', `What listens at ${nameOf(address)} is not clamd: ${text.slice(0, 80)}`)
  }
  const reason = cause ? `cannot be reached (${cause.message})` : 'closed the connection'
  return new ScannerError('down', `clamd at ${nameOf(address)} ${reason}`, cause)
}

/** clamd closes sessions after 30 idle seconds, so connections are reused only well before that. */
const IDLE_MS = 10_000

interface ClamdPool {
  /** Runs `work` with an exclusive connection; waits while all are in use. */
  use<Result>(work: (connection: ClamdConnection) => Promise<Result>): Promise<Result>
  close(): void
}

/** At most `size` connections. A connection whose work failed is in an unknown state, so it is closed. */
export function createClamdPool(open: () => Promise<ClamdConnection>, size: number): ClamdPool {
  const idle: { connection: ClamdConnection; since: number }[] = []
  const connections = createSemaphore(size)

  function takeIdle(): ClamdConnection | null {
    for (let entry = idle.pop(); entry; entry = idle.pop()) {
      if (entry.connection.isOpen() && Date.now() - entry.since < IDLE_MS) return entry.connection
      entry.connection.close()
    }
    return null
  }

  return {
    async use(work) {
      using held = new DisposableStack()
      held.use(await connections.acquire())
      const connection = takeIdle() ?? (await open())
      try {
        const result = await work(connection)
        idle.push({ connection, since: Date.now() })
        return result
      } catch (error) {
        connection.close()
        throw error
      }
    },
    close() {
      for (const { connection } of idle.splice(0)) connection.close()
    },
  }
}
