import type { UploadedFile, UploadProject, UploadSession } from '../../features/builds/uploads/model.ts'
import { type ApiClient } from '../api/client.ts'
import { createFormBody, sendForm, type SendOptions } from '../api/form-body.ts'
import { TOOL } from '../api/project.ts'
import { ApiFailure, isApiCode } from '../api/retry.ts'
import { CliError } from '../cli-error.ts'
import type { Output } from '../ui/output.ts'
import { fetchBaseEntries, findBase } from './base.ts'
import type { PushCache } from './cache.ts'
import type { PlannedBuild } from './plan.ts'
import type { PreparedZip } from './prepare.ts'
import { FileChecksum, planSegments, type Segment, sendAll, sizeOfSent } from './segments.ts'

const FIELD_INVALID = 4041
const SESSION_GONE = 4045
const CHECKSUM_MISMATCH = 4046
const BASE_UNUSABLE = 4049
/** Limits of one copy request. */
const COPY_RANGES_MAX = 1000
const COPY_BYTES_MAX = 256 * 1024 ** 2
/** A session that is lost again and again means that something else is wrong. */
const RESTARTS_MAX = 5

interface SessionOptions extends SendOptions {
  api: ApiClient
  uploadUrl: string
  chunkSize: number
  zip: PreparedZip
  filename: string
  /** The form that opens a session, without base and checksum. */
  form: Record<string, string>
  /** The file that some segments are copied from. */
  baseUid: string | null
  segments: readonly Segment[]
  /** Continues this session, if it still exists. */
  sessionId: string | null
  /** Called with every new session, so that a later run can continue it. */
  onSession: (id: string | null) => Promise<void>
  onPosition: (position: number) => void
}

/** Sends a file in chunks, and copies what the server has. Survives lost connections, restarts and lost sessions. */
export async function sendInSession(options: SessionOptions): Promise<UploadedFile> {
  const upload = new SessionUpload(options)
  return await upload.run()
}

class SessionUpload {
  readonly #options: SessionOptions
  #id: string | null
  #segments: readonly Segment[]
  #baseUid: string | null
  readonly #checksum = new FileChecksum()
  #isLateRefused = false
  #restarts = 0

  constructor(options: SessionOptions) {
    this.#options = options
    this.#id = options.sessionId
    this.#segments = options.segments
    this.#baseUid = options.baseUid
  }

  async run(): Promise<UploadedFile> {
    const { api } = this.#options
    let position: number | null = null
    api.retry.progress()
    for (;;) {
      try {
        const at: number = position ?? (await this.#findPosition())
        this.#options.onPosition(at)
        const result = await this.#sendFrom(at)
        api.retry.progress()
        if ('filename' in result) return result
        position = result.current_size
      } catch (error) {
        position = await this.#recover(error, position)
      }
    }
  }

  /** Where to continue; null if the server has to be asked. */
  async #recover(error: unknown, position: number | null): Promise<number | null> {
    const { api, onSession } = this.#options
    if (isApiCode(error, SESSION_GONE) || (isApiCode(error, CHECKSUM_MISMATCH) && this.#baseUid !== null)) {
      this.#restarts += 1
      if (this.#restarts > RESTARTS_MAX) throw error
      // The copied bytes were not the expected ones, so this time everything is sent.
      if (isApiCode(error, CHECKSUM_MISMATCH)) this.#sendEverything()
      this.#id = null
      await onSession(null)
      return null
    }
    if (isApiCode(error, CHECKSUM_MISMATCH)) await onSession(null)
    if (isApiCode(error, BASE_UNUSABLE) || error instanceof CopyUnknown) {
      this.#sendEverything()
      return position
    }
    if (error instanceof ApiFailure && error.status === 409) {
      if (error.currentSize !== null && error.currentSize > (position ?? 0)) api.retry.progress()
      await api.retry.wait(error)
      return error.currentSize
    }
    await api.retry.pause(error)
    return null
  }

  #sendEverything(): void {
    this.#segments = sendAll(this.#options.zip.state.size)
    this.#baseUid = null
  }

  async #findPosition(): Promise<number> {
    const { api, uploadUrl } = this.#options
    if (this.#id === null) return await this.#open()
    const session = await api.once<UploadSession>(`${TOOL}/sessions/${this.#id}`, {
      base: uploadUrl,
      signal: AbortSignal.timeout(60_000),
    })
    // Ranges can only be copied from the base that the session was opened with.
    if (session.base_file_uid !== this.#baseUid) this.#sendEverything()
    return session.current_size
  }

  async #open(): Promise<number> {
    const { zip, onSession } = this.#options
    const isLate = this.#baseUid === null && zip.state.checksum === null && !this.#isLateRefused
    const fields: Record<string, string> = isLate
      ? { checksum_in_last_chunk: 'true' }
      : {
          checksum: await zip.readChecksum(),
          ...(this.#baseUid !== null && { base_file_uid: this.#baseUid }),
        }
    try {
      const session = await this.#postSession(fields)
      this.#id = session.session_id
      await onSession(session.session_id)
      return session.current_size
    } catch (error) {
      if (!isLate || !isApiCode(error, FIELD_INVALID)) throw error
      // An older server wants the checksum first.
      this.#isLateRefused = true
      return await this.#open()
    }
  }

  async #postSession(fields: Record<string, string>): Promise<UploadSession> {
    const { api, uploadUrl, form } = this.#options
    return await api.once<UploadSession>(`${TOOL}/sessions`, {
      method: 'POST',
      base: uploadUrl,
      body: new URLSearchParams({ ...form, ...fields }),
      signal: AbortSignal.timeout(60_000),
    })
  }

  async #sendFrom(position: number): Promise<UploadedFile | UploadSession> {
    const { size } = this.#options.zip.state
    // All bytes have arrived, but the response was lost: repeating the last byte returns it.
    if (position >= size) return await this.#sendChunk(size - 1, size)
    const index = this.#segments.findIndex(({ at, length }) => position < at + length)
    const segment = this.#segments[index]
    if (!segment) throw new Error('The segments do not cover the file')
    if (segment.from !== null) return await this.#copy(position, index)
    const end = Math.min(segment.at + segment.length, position + this.#options.chunkSize)
    return await this.#sendChunk(position, end)
  }

  async #sendChunk(start: number, end: number): Promise<UploadedFile | UploadSession> {
    const { api, uploadUrl, zip, filename } = this.#options
    const { handle } = zip
    const { size, checksum: known } = zip.state
    if (known === null) await this.#checksum.readTo(start, handle, api)
    using form = createFormBody(
      {
        handle,
        start,
        length: end - start,
        filename,
        ...(known === null && { onRead: (bytes, at) => this.#checksum.add(bytes, at) }),
        // Sessions that were opened with the checksum ignore it.
        ...(end === size && { checksum: () => this.#readChecksum() }),
      },
      this.#options,
    )
    return await api.once(`${TOOL}/files`, {
      method: 'POST',
      base: uploadUrl,
      ...form,
      headers: {
        ...form.headers,
        'x-upload-session-id': this.#id ?? '',
        'content-range': `bytes ${start}-${end - 1}/${size}`,
      },
    })
  }

  /** The checksum cannot tell that the file changed meanwhile, because it is of the bytes that were sent. */
  async #readChecksum(): Promise<string> {
    const { zip } = this.#options
    await zip.requireUnchanged()
    return zip.state.checksum ?? this.#checksum.digest()
  }

  async #copy(position: number, index: number): Promise<UploadedFile | UploadSession> {
    const { api, uploadUrl } = this.#options
    const ranges: { at: number; from: number; length: number }[] = []
    let at = position
    for (const segment of this.#segments.slice(index, index + COPY_RANGES_MAX)) {
      const room = COPY_BYTES_MAX - (at - position)
      if (segment.from === null || room === 0) break
      const skip = at - segment.at
      const length = Math.min(segment.length - skip, room)
      ranges.push({ at, from: segment.from + skip, length })
      at += length
    }
    try {
      return await api.once(`${TOOL}/sessions/${this.#id}/copy`, {
        method: 'POST',
        base: uploadUrl,
        json: { ranges },
        signal: AbortSignal.timeout(5 * 60_000),
      })
    } catch (error) {
      const isUnknown = error instanceof ApiFailure && error.status === 404 && error.code !== SESSION_GONE
      throw isUnknown ? new CopyUnknown('refused', error.message, { cause: error }) : error
    }
  }
}

/** The server has no route to copy ranges. */
class CopyUnknown extends CliError {}

interface SendContext {
  api: ApiClient
  project: UploadProject
  output: Output
  chunkSize: number | null
  rateLimit: number | null
}

interface SentFile {
  file: UploadedFile
  /** Bytes of the zip that went over the network. */
  sentBytes: number
}

/** Small files in one request; larger ones, and those of which the server has a part, in a session. */
export async function sendZip(
  context: SendContext,
  build: PlannedBuild,
  buildId: string,
  zip: PreparedZip,
  cache: PushCache,
): Promise<SentFile> {
  const { api, project, output, rateLimit } = context
  const { size, session } = zip.state
  const { os, arch, channel } = build.registration
  const form = { build_id: buildId, os, arch, channel }
  await endStaleSession(context, zip, buildId)
  const { baseUid, segments } = await planDifference(context, build, zip)
  using phase = output.phase('sending', build.filename, size)
  let sentBytes = 0
  const onBytes = (count: number) => {
    sentBytes += count
    phase.advance(count)
  }

  async function sendOnce(): Promise<UploadedFile> {
    const fields = { ...form, checksum: await zip.readChecksum() }
    const file = { handle: zip.handle, start: 0, length: size, filename: build.filename, fields }
    const target = { path: `${TOOL}/files`, base: project.upload_url }
    return await sendForm<UploadedFile>(api, target, file, { phase, onBytes, rateLimit })
  }

  async function sendChunks(): Promise<UploadedFile> {
    return await sendInSession({
      api,
      uploadUrl: project.upload_url,
      chunkSize: context.chunkSize ?? project.chunk_size,
      zip,
      filename: build.filename,
      form: { ...form, filename: build.filename, total_size: String(size) },
      baseUid,
      segments,
      sessionId: session?.build_id === buildId ? session.id : null,
      onSession: (id) =>
        cache.write({ ...zip.state, session: id === null ? null : { id, build_id: buildId } }),
      onPosition: phase.moveTo,
      onBytes,
      rateLimit,
    })
  }

  try {
    const file = size <= project.single_limit && baseUid === null ? await sendOnce() : await sendChunks()
    return { file, sentBytes }
  } catch (error) {
    // Damaged bytes must not be sent again by the next run.
    if (isApiCode(error, CHECKSUM_MISMATCH)) await cache.remove()
    throw error
  } finally {
    // Explains a wrong checksum better than the server can.
    await zip.requireUnchanged()
  }
}

/** An open session that no run will continue would count against the limit of the game. */
async function endStaleSession(
  { api, project }: SendContext,
  { state, staleSession }: PreparedZip,
  buildId: string,
): Promise<void> {
  const other = state.session?.build_id === buildId ? null : state.session?.id
  const id = staleSession ?? other
  if (!id) return
  const request = { method: 'DELETE', base: project.upload_url, signal: AbortSignal.timeout(10_000) } as const
  await api.once(`${TOOL}/sessions/${id}`, request).catch(() => api.signal.throwIfAborted())
}

interface Difference {
  baseUid: string | null
  segments: Segment[]
}

/** What the server does not have yet, compared with an earlier file. */
async function planDifference(
  { api, project, output }: SendContext,
  build: PlannedBuild,
  { state, readEntries, isPacked }: PreparedZip,
): Promise<Difference> {
  const everything = { baseUid: null, segments: sendAll(state.size) }
  const base = await findBase(api, build)
  if (!base) return everything
  const entries = await fetchBaseEntries(api, project.upload_url, base.file_uid)
  if (entries.length === 0) return everything
  const segments = planSegments({ entries: await readEntries(), size: state.size, isPacked }, entries)
  const sent = sizeOfSent(segments)
  if (sent === state.size) return everything
  output.note(
    `${Math.ceil((sent / state.size) * 100)} % of ${build.filename} is new; the rest is copied from the build before.`,
  )
  return { baseUid: base.file_uid, segments }
}
