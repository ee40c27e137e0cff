import type { UploadedFile, UploadProject } from '../../features/builds/uploads/model.ts'
import { isApiCode } from '../api/api-failure.ts'
import type { ApiClient } from '../api/client.ts'
import { TOOL } from '../api/project.ts'
import { sendForm } from '../api/send-form.ts'
import type { Output } from '../ui/output.ts'
import { findBase, readBaseEntries } from './base.ts'
import type { PushCache } from './cache.ts'
import type { PlannedBuild } from './plan.ts'
import type { PreparedZip } from './prepare.ts'
import { planSegments, type Segment, sendAll, sizeOfSent } from './segments.ts'
import { CHECKSUM_MISMATCH, sendInSession } from './session.ts'

export interface SendContext {
  api: ApiClient
  project: UploadProject
  output: Output
  chunkSize: number | null
  rateLimit: number | null
}

export interface SentFile {
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
  const entries = await readBaseEntries(api, project.upload_url, base.file_uid)
  if (entries.length === 0) return everything
  const segments = planSegments({ entries: await readEntries(), size: state.size, isPacked }, entries)
  const sent = sizeOfSent(segments)
  if (sent === state.size) return everything
  output.note(
    `${Math.ceil((sent / state.size) * 100)} % of ${build.filename} is new; the rest is copied from the build before.`,
  )
  return { baseUid: base.file_uid, segments }
}
