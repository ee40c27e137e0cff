import { type FileHandle, open } from 'node:fs/promises'
import { basename } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

import { CliError } from '../cli-error.ts'
import type { Output } from '../ui/output.ts'
import type { Phase } from '../ui/progress.ts'
import type { ApiClient } from './client.ts'

/** Bytes of an open file. */
interface FileRange {
  handle: FileHandle
  start: number
  length: number
}

interface FormFile extends FileRange {
  filename: string
  fields?: Record<string, string>
  /** Called with the bytes before they are sent, in order, and their offset in the file. */
  onRead?: (bytes: Uint8Array, at: number) => void
  /** SHA-256 in hex, sent after the file, so that it can be computed meanwhile. */
  checksum?: () => Promise<string>
}

export interface SendOptions {
  /** Called with the number of bytes that were handed to the network. */
  onBytes: (count: number) => void
  /** Bytes per second. */
  rateLimit?: number | null
}

interface FormBody extends Disposable {
  headers: Record<string, string>
  body: ReadableStream<Uint8Array>
  /** Aborts when nothing was sent, or no response came, for too long. */
  signal: AbortSignal
}

const BLOCK_SIZE = 1024 ** 2
/** On slow lines, small pieces show progress sooner; on fast ones, whole blocks need less CPU time. */
const SMALL_PIECE = 128 * 1024
const FAST_MS = 100
const CHECKSUM_LENGTH = 64
const STALL_MS = 60_000
/** The server may have to read the whole file again for its checksum. */
const RESPONSE_MS = 5 * 60_000

/** A form with one file, read while it is sent, so that memory does not grow with its size. */
export function createFormBody(file: FormFile, { onBytes, rateLimit = null }: SendOptions): FormBody {
  const boundary = `shelf-${crypto.randomUUID()}`
  const head = Buffer.from(
    Object.entries(file.fields ?? {})
      .map(([name, value]) => field(boundary, name, value))
      .join('') +
      part(boundary, `name="file"; filename="${escapeName(file.filename)}"`) +
      'Content-Type: application/octet-stream\r\n\r\n',
  )
  const tail = (checksum: string | null) =>
    Buffer.from(`\r\n${checksum === null ? '' : field(boundary, 'checksum', checksum)}--${boundary}--\r\n`)
  const tailLength = tail(file.checksum ? '0'.repeat(CHECKSUM_LENGTH) : null).length
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
    let isFast = false
    for await (const bytes of readBlocks(file)) {
      const blockBegin = performance.now()
      const size = isFast ? BLOCK_SIZE : SMALL_PIECE
      for (let at = 0; at < bytes.length; at += size) {
        const piece = bytes.subarray(at, at + size)
        sent += piece.length
        if (rateLimit !== null)
          await sleep(Math.max(0, begin + (sent / rateLimit) * 1000 - performance.now()))
        yield piece
        onBytes(piece.length)
      }
      isFast = performance.now() - blockBegin < FAST_MS
    }
    yield tail(file.checksum ? await file.checksum() : null)
  }

  return {
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + file.length + tailLength),
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

/** Buffers that no form uses now. New ones for every block would be collected too late to save memory. */
const spare: Buffer[] = []

/**
 * Reads and hashes the next block while one is sent. A buffer is filled again once its pieces were taken, because
 * the runtime copies a piece before it asks for the next one.
 */
async function* readBlocks(file: FormFile): AsyncGenerator<Uint8Array> {
  const end = file.start + file.length
  let current = spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_SIZE)
  let next = spare.pop() ?? Buffer.allocUnsafeSlow(BLOCK_SIZE)
  let reading = readBlock(file, current, file.start)
  try {
    for (let at = file.start; at < end;) {
      const bytes = await reading
      at += bytes.length
      if (at < end) {
        reading = readBlock(file, next, at)
        // Thrown where it is awaited.
        reading.catch(() => undefined)
      }
      yield bytes
      ;[current, next] = [next, current]
    }
  } finally {
    await Promise.allSettled([reading])
    spare.push(current, next)
  }
}

async function readBlock(file: FormFile, buffer: Buffer, at: number): Promise<Uint8Array> {
  const { handle, start, length, filename, onRead } = file
  const { bytesRead } = await handle.read(buffer, 0, Math.min(buffer.length, start + length - at), at)
  if (bytesRead === 0) throw new CliError('files', `${filename} became shorter while it was sent.`)
  const bytes = buffer.subarray(0, bytesRead)
  onRead?.(bytes, at)
  return bytes
}

function field(boundary: string, name: string, value: string): string {
  return `${part(boundary, `name="${name}"`)}\r\n${value}\r\n`
}

function part(boundary: string, disposition: string): string {
  return `--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\n`
}

/** As browsers do. */
function escapeName(name: string): string {
  return name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

interface FormTarget {
  path: string
  base?: string
}

/** Sends a form with a file in one request, from the start again after each failure that passes. */
export async function sendForm<Data>(
  api: ApiClient,
  target: FormTarget,
  file: FormFile,
  options: SendOptions & { phase: Phase },
): Promise<Data> {
  api.retry.progress()
  for (;;) {
    try {
      options.phase.moveTo(0)
      using form = createFormBody(file, options)
      const { path, base = api.server } = target
      const data = await api.once<Data>(path, { method: 'POST', base, ...form })
      api.retry.progress()
      return data
    } catch (error) {
      await api.retry.pause(error)
    }
  }
}

/** The same for a file by its path, with its own progress. */
export async function sendFile<Data>(
  api: ApiClient,
  output: Output,
  target: FormTarget,
  path: string,
  fields: Record<string, string>,
): Promise<Data> {
  await using handle = await open(path, 'r')
  const { size } = await handle.stat()
  const filename = basename(path)
  using phase = output.phase('sending', filename, size)
  const file = { handle, start: 0, length: size, filename, fields }
  return await sendForm<Data>(api, target, file, { phase, onBytes: phase.advance })
}
