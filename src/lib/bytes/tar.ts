import type { ReadableStreamDefaultReader } from 'node:stream/web'

import { createTarDecoder, createTarPacker, type TarHeader } from 'modern-tar'

/** One member of a tar archive; links and devices are rejected. */
interface TarEntry {
  /** Folders have no trailing slash. */
  name: string
  kind: 'file' | 'folder'
  size: number
  mode: number
  /** Whole seconds since 1970. */
  mtime: number
}

export interface TarInput extends TarEntry {
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
}

export interface TarMember extends TarEntry {
  /** Must be read before the next member is requested; the rest is skipped. */
  body: AsyncIterable<Uint8Array>
}

const DAMAGED = 'The archive has a damaged header'
const EXPLAINED = new Map([
  ['Tar archive is truncated.', 'The archive ends too early'],
  ['Invalid tar header checksum.', DAMAGED],
  ['Invalid tar header.', DAMAGED],
  ['Invalid tar number.', DAMAGED],
])

/** Writes an archive, buffering a few MB ahead of the reader. Each body must be as long as its entry says. */
export async function* packTar(members: AsyncIterable<TarInput>): AsyncGenerator<Uint8Array> {
  const { readable, controller } = createTarPacker()
  const feeding = feed().catch((error: unknown) => controller.error(error))
  try {
    yield* readable
  } finally {
    await feeding
  }

  async function feed(): Promise<void> {
    for await (const { body, ...entry } of members) {
      const writer = controller.add(toHeader(entry)).getWriter()
      let done = 0
      for await (const chunk of body) {
        await writer.write(chunk)
        done += chunk.length
      }
      if (done !== entry.size) throw new Error(`${entry.name} changed its size while it was read`)
      await writer.close()
    }
    controller.finalize()
  }
}

/** Streams an archive with a few chunks in memory, up to the last byte so that checksums are verified. */
export async function* readTar(source: AsyncIterable<Uint8Array>): AsyncGenerator<TarMember> {
  const { readable, writable } = createTarDecoder({ strict: true })
  const writer = writable.getWriter()
  // `abort` rejects if the decoder has already failed; its reader throws the reason.
  const stop = (reason?: unknown) => writer.abort(reason).catch(() => undefined)
  const feeding = feed().catch(stop)
  const members = readable.getReader()
  try {
    for (;;) {
      const { done, value } = await members.read()
      if (done) break
      const body = value.body.getReader()
      yield { ...toEntry(value.header), body: chunksOf(body) }
      // Read to its end: cancelling a body while the next chunk is being decoded can stop the decoder for ever.
      while (!(await body.read()).done) continue
    }
  } catch (error) {
    throw explain(error)
  } finally {
    await Promise.all([stop(), feeding])
  }

  async function feed(): Promise<void> {
    for await (const chunk of source) await writer.write(chunk)
    await writer.close()
  }
}

async function* chunksOf(body: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let part = await body.read(); !part.done; part = await body.read()) yield part.value
  } catch (error) {
    throw explain(error)
  }
}

function toHeader({ name, kind, size, mode, mtime }: TarEntry): TarHeader {
  const type = kind === 'folder' ? 'directory' : 'file'
  return { name: kind === 'folder' ? `${name}/` : name, type, size, mode, mtime: new Date(mtime * 1000) }
}

function toEntry({ name, type, size, mode = 0o600, mtime }: TarHeader): TarEntry {
  if (type !== 'file' && type !== 'directory') {
    throw new Error(`The archive holds ${name}, which is neither a file nor a folder`)
  }
  return {
    name: name.replace(/\/+$/, ''),
    kind: type === 'directory' ? 'folder' : 'file',
    size,
    mode,
    mtime: Math.floor((mtime?.getTime() ?? 0) / 1000),
  }
}

function explain(error: unknown): unknown {
  const text = error instanceof Error ? EXPLAINED.get(error.message) : undefined
  return text === undefined ? error : new Error(text, { cause: error })
}
