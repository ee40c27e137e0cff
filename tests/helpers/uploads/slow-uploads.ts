import { connect } from 'node:net'

import type { TestServer } from '../server.ts'
import { FORM_TYPE, formFile } from '../site/forms.ts'

/** An upload form that holds back the end of its file until the test asks for it. */
export interface SlowUpload {
  /** The response so far; empty while the server waits. */
  answer(): string
  isOpen(): boolean
  /** Sends the rest and waits for the full response. */
  finish(): Promise<string>
  hangUp(): void
}

export interface SlowRequest {
  method: 'PUT' | 'POST'
  path: string
  headers: Readonly<Record<string, string>>
  /** Text fields, already encoded as form parts. */
  fields?: string
  file: Uint8Array
  filename?: string
  /** How much of the file is sent before the pause. */
  sent?: number
}

const TRICKLE_MS = 5000

/** Sends a byte at intervals, so that the connection is never idle. */
export async function openSlowUpload(server: TestServer, request: SlowRequest): Promise<SlowUpload> {
  const { method, path, headers, fields = '', file, filename = 'a.png', sent = 100 } = request
  const [before = '', after = ''] = formFile('file', '\0', filename, 'image/png').split('\0')
  const body = Buffer.concat([Buffer.from(fields + before), file, Buffer.from(`${after}--B--\r\n`)])
  const lines = Object.entries({
    host: 'localhost',
    connection: 'close',
    'content-type': FORM_TYPE,
    'content-length': String(body.length),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`)
  const socket = connect(server.port, '127.0.0.1')
  const closed = new Promise<void>((resolve) => socket.on('close', () => resolve()))
  const chunks: Buffer[] = []
  socket.on('data', (chunk: Buffer) => void chunks.push(chunk))
  socket.on('error', () => undefined)
  let at = fields.length + before.length + sent
  socket.write(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`)
  socket.write(body.subarray(0, at))
  const trickle = setInterval(() => {
    if (at < body.length - 200) socket.write(body.subarray(at, (at += 1)))
  }, TRICKLE_MS)
  socket.on('close', () => clearInterval(trickle))
  return {
    answer: () => Buffer.concat(chunks).toString(),
    isOpen: () => !socket.destroyed && chunks.length === 0,
    async finish() {
      clearInterval(trickle)
      socket.write(body.subarray(at))
      await closed
      return Buffer.concat(chunks).toString()
    },
    hangUp: () => void socket.destroy(),
  }
}
