import type { RegisteredBuild } from '../../features/builds/registry/model.ts'
import { formatBytes, plural } from '../../lib/text/show.ts'
import { TOOL } from '../api/project.ts'
import { cacheOf, connect, type Connection, type Context, type ServerFlags } from '../context.ts'
import { fetchChannelBuild, noneIfUnknown } from '../push/base.ts'
import { PushCache, removeAbandoned } from '../push/cache.ts'
import { type BuildFlags, planBuilds, type PlannedBuild } from '../push/plan.ts'
import { listBuild, type PreparedZip, prepareZip } from '../push/prepare.ts'
import { describeScan, requireClean, waitForScan } from '../push/scan.ts'
import { sendZip } from '../push/send.ts'
import { findShelfJson } from '../settings/settings.ts'
import { uploadSymbols } from './files.ts'

export interface PushOptions extends ServerFlags {
  build: BuildFlags
  version?: string
  changelog?: string
  wait?: boolean
  ifChanged?: boolean
  dryRun?: boolean
  includeSecrets?: boolean
  chunkSize?: number
  limitRate?: number
}

interface PushedBuild {
  build_id: string | null
  file_uid: string | null
  checksum: string
  size: number
  sent_bytes: number
  skipped: boolean
  scan: string | null
}

const CONTINUE_HINT = 'Run the same command again: it continues where it stopped.'

export async function push(context: Context, path: string | undefined, options: PushOptions): Promise<void> {
  const { cwd, output } = context
  const shelfJson = await findShelfJson(cwd)
  const { build: flags, version, changelog, includeSecrets } = options
  const onWarning = (text: string) => output.warn(text)
  const plan = { cwd, shelfJson, path, flags, version, changelog, includeSecrets, onWarning }
  const builds = await planBuilds(plan)
  if (options.dryRun) return await showPlan(context, builds)
  const connection = await connect(context, options, { shelfJson, isPatient: true, hint: CONTINUE_HINT })
  await removeAbandoned(cacheOf(context))
  const pushed: PushedBuild[] = []
  for (const build of builds) pushed.push(await pushBuild(context, connection, build, options))
  output.json({ builds: pushed })
}

async function pushBuild(
  context: Context,
  { api, project, settings }: Connection,
  build: PlannedBuild,
  options: PushOptions,
): Promise<PushedBuild> {
  const { output, signal } = context
  const { app, os, arch, channel, build_type = '' } = build.registration
  const identity = [
    settings.server,
    project.game_uid,
    build.path,
    build.filename,
    app,
    os,
    arch,
    channel,
    build_type,
  ]
  const cache = new PushCache(cacheOf(context), identity)
  await using zip = await prepareZip(build, cache, { output, signal })
  const { size } = zip.state
  if (options.ifChanged && (await isCurrent(api, build, zip))) {
    output.note(`${build.name}: ${channel} has these bytes already, nothing was sent.`)
    const checksum = await zip.readChecksum()
    await cache.remove()
    return { build_id: null, file_uid: null, checksum, size, sent_bytes: 0, skipped: true, scan: null }
  }
  const { build_id } = await api.call<RegisteredBuild>(`${TOOL}/build`, {
    method: 'POST',
    json: build.registration,
  })
  output.result(`build_id ${build_id}`)
  const { chunkSize = null, limitRate: rateLimit = null } = options
  const { file, sentBytes } = await sendZip(
    { api, project, output, chunkSize, rateLimit },
    build,
    build_id,
    zip,
    cache,
  )
  await cache.remove()
  output.note(`${build.name}: ${formatBytes(size)} uploaded, ${formatBytes(sentBytes)} of them sent.`)
  if (build.symbols.length > 0)
    await uploadSymbols(context, { api, project, settings }, build.symbols, build_id)
  const { file_uid, checksum } = file
  const sent = { build_id, file_uid, checksum, size, sent_bytes: sentBytes, skipped: false }
  if (!options.wait) return { ...sent, scan: file.scan }
  const scanned = await waitForScan(api, output, build_id)
  requireClean(scanned, file_uid)
  const found = scanned.files.find((file) => file.file_uid === file_uid)
  if (found) output.note(`${build.name}: ${describeScan(found)}.`)
  return { ...sent, scan: found?.scan ?? null }
}

/** A file of another size differs, so only one of the same size is read. */
async function isCurrent(api: Connection['api'], build: PlannedBuild, zip: PreparedZip): Promise<boolean> {
  const current = await fetchChannelBuild(api, build).catch(noneIfUnknown)
  const likely = current?.files.filter(
    ({ filename, size }) => filename === build.filename && size === zip.state.size,
  )
  if (!likely?.length) return false
  const checksum = await zip.readChecksum()
  return likely.some((file) => file.checksum === checksum)
}

async function showPlan({ output }: Context, builds: readonly PlannedBuild[]): Promise<void> {
  const plans = []
  for (const build of builds) {
    const files = (await listBuild(build, output)).filter(({ isFolder }) => !isFolder)
    const size = files.reduce((sum, file) => sum + file.size, 0)
    const { version, os, arch, channel, app } = build.registration
    plans.push({
      name: build.name,
      version,
      os,
      arch,
      channel,
      app,
      filename: build.filename,
      files: files.length,
      size,
    })
    const target = `${app} ${version} for ${os} ${arch}, channel ${channel}`
    output.result(`${build.filename}: ${plural(files.length, 'file')}, ${formatBytes(size)} → ${target}`)
  }
  output.json({ dry_run: true, builds: plans })
}
