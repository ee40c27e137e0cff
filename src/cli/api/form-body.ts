import type { FileHandle } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'

import { createCollector } from '../../lib/collect-garbage.ts'
import { CliError } from '../cli-error.ts'

/** Bytes of an open file. */
export interface FileRange {
  handle: FileHandle
  start: number
  length: number
}

export interface FormFile extends FileRange {
  filename: string
  fields?: Record<string, string>
}

export interface SendOptions {
  /** Called with the number of bytes that were handed to the network. */
  onBytes: (count: number) => void
  /** Bytes per second. */
  rateLimit?: number | null
}

export interface FormBody extends Disposable {
  headers: Record<string, string>
  body: ReadableStream<Uint8Array>
  /** Aborts when nothing was sent, or no response came, for too long. */
  signal: AbortSignal
}

const PIECE_SIZE = 256 * 1024
const STALL_MS = 60_000
/** The server may have to read the whole file again for its checksum. */
const RESPONSE_MS = 5 * 60_000

const collect = createCollector()

/** A form with one file, read while it is sent, so that memory does not grow with its size. */
export function createFormBody(file: FormFile, { onBytes, rateLimit = null }: SendOptions): FormBody {
  const boundary = `shelf-${crypto.randomUUID()}`
  const head = Buffer.from(
    Object.entries(file.fields ?? {})
      .map(([name, value]) => `${part(boundary, `name="${name}"`)}\r\n${value}\r\n`)
      .join('') +
      part(boundary, `name="file"; filename="${escapeName(file.filename)}"`) +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
  const tail = Buffer.from(`\r\n--${boundary}--\r\n`)
  const watch = new AbortController()
  const pieces = readPieces()
  let timer: ReturnType<typeof setTimeout> | undefined

  function expect(ms: number, what: string): void {
    clearTimeout(timer)
    timer = setTimeout(() => watch.abort(new Error(what)), ms)
    timer.unref()
  }

  async function* readPieces(): AsyncGenerator<Uint8Array> {
    const begin = performance.now()
    yield head
    let sent = 0
    while (sent < file.length) {
      const bytes = Buffer.allocUnsafe(Math.min(PIECE_SIZE, file.length - sent))
      const { bytesRead } = await file.handle.read(bytes, 0, bytes.length, file.start + sent)
      if (bytesRead === 0) throw new CliError('files', `${file.filename} became shorter while it was sent.`)
      sent += bytesRead
      if (rateLimit !== null) await sleep(Math.max(0, begin + (sent / rateLimit) * 1000 - performance.now()))
      yield bytes.subarray(0, bytesRead)
      onBytes(bytesRead)
      collect(bytesRead)
    }
    yield tail
  }

  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.length + tail.length),
    },
    signal: watch.signal,
    [Symbol.dispose]: () => clearTimeout(timer),
    body: new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          expect(STALL_MS, 'the connection stalled')
          const { done, value } = await pieces.next()
          if (!done) return controller.enqueue(value)
          expect(RESPONSE_MS, 'no response came')
          controller.close()
        },
        async cancel() {
          clearTimeout(timer)
          await pieces.return(undefined)
        },
      },
      { highWaterMark: 0 },
    ),
  }
}

function part(boundary: string, disposition: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
}

/** As browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}
