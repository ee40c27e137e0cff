import { connect, type Socket } from 'node:net'

import { ScannerError } from './scanner.ts'

export type ClamdAddress = { host: string; port: number } | { path: string }

export interface ClamdTimeouts {
  connectMs: number
  /** For accepting bytes and for responding; a large archive takes clamd minutes. */
  answerMs: number
}

/** One session with clamd: commands run one after another, with one reply each. */
export interface ClamdConnection {
  write(bytes: Uint8Array | string): Promise<void>
  /** The next reply, without its number. */
  readAnswer(): Promise<string>
  /** Whether a reply has already arrived, which means that clamd reads no further. */
  hasAnswer(): boolean
  isOpen(): boolean
  close(): void
}

export async function openClamd(address: ClamdAddress, timeouts: ClamdTimeouts): Promise<ClamdConnection> {
  const socket = connect(address)
  const answers: string[] = []
  let text = ''
  let failure: ScannerError | null = null
  let wake: () => void = () => undefined

  function fail(error: ScannerError): void {
    failure ??= error
    socket.destroy()
    wake()
  }

  socket.setNoDelay(true)
  socket.setEncoding('latin1')
  socket.on('data', (piece: string) => {
    const parts = (text + piece).split('\0')
    text = parts.pop() ?? ''
    answers.push(...parts)
    wake()
  })
  socket.on('drain', () => wake())
  socket.on('connect', () => wake())
  socket.on('error', (error) => fail(describeEnd(address, text, error)))
  socket.on('close', () => fail(describeEnd(address, text)))

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

  const connection: ClamdConnection = {
    async write(bytes) {
      // clamd has already replied and reads no more.
      if (answers.length > 0) return
      if (failure) throw failure
      if (!socket.write(bytes)) {
        await waitUntil(() => !socket.writableNeedDrain || answers.length > 0, timeouts.answerMs)
      }
    },
    async readAnswer() {
      await waitUntil(() => answers.length > 0, timeouts.answerMs)
      return (answers.shift() ?? '').replace(/^\d+: /, '')
    },
    hasAnswer: () => answers.length > 0,
    isOpen: () => failure === null,
    close: () => fail(new ScannerError('down', 'The connection to clamd was closed')),
  }
  await waitUntil(() => isConnected(socket), timeouts.connectMs)
  await connection.write('zIDSESSION\0')
  return connection
}

export function nameOf(address: ClamdAddress): string {
  return 'path' in address ? address.path : `${address.host}:${address.port}`
}

function isConnected(socket: Socket): boolean {
  return !socket.connecting && !socket.destroyed
}

/** clamd terminates every reply, so an unterminated one came from another program. */
function describeEnd(address: ClamdAddress, text: string, cause?: Error): ScannerError {
  if (text !== '') {
    return new ScannerError('answer', `What listens at ${nameOf(address)} is not clamd: ${text.slice(0, 80)}`)
  }
  const reason = cause ? `cannot be reached (${cause.message})` : 'closed the connection'
  return new ScannerError('down', `clamd at ${nameOf(address)} ${reason}`, cause)
}
