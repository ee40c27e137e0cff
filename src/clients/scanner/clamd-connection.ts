import { connect, type Socket } from 'node:net'

import { ScannerError } from './scanner.ts'

export type ClamdAddress = { host: string; port: number } | { path: string }

export interface ClamdTimeouts {
  connectMs: number
  /** For taking bytes and for answering; a large archive takes clamd minutes. */
  answerMs: number
}

/** One session with clamd: commands follow each other, and each gets one answer. */
export interface ClamdConnection {
  write(bytes: Uint8Array | string): Promise<void>
  /** The next answer, without its number. */
  readAnswer(): Promise<string>
  /** An answer came already: clamd had enough. */
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

  /** Until `isReady`, or until the connection fails or takes too long. */
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
      // It said what it had to say and takes no more.
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

/** Every answer of clamd has an end: what broke off within one came from something else. */
function describeEnd(address: ClamdAddress, text: string, cause?: Error): ScannerError {
  if (text !== '') {
    return new ScannerError('answer', `What listens at ${nameOf(address)} is not clamd: ${text.slice(0, 80)}`)
  }
  const reason = cause ? `cannot be reached (${cause.message})` : 'closed the connection'
  return new ScannerError('down', `clamd at ${nameOf(address)} ${reason}`, cause)
}
