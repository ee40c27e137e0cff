import { MAIN_APP } from '../../domain/builds/channels.ts'
import type { Channel } from '../../features/builds/channels/model.ts'
import type { Build } from '../../features/builds/registry/model.ts'
import type { Paged } from '../../lib/paging.ts'
import { formatBytes } from '../../lib/text/show.ts'
import { TOOL } from '../api/project.ts'
import { CliError } from '../cli-error.ts'
import { connect, type Context, type ServerFlags } from '../context.ts'
import { describeScan, fetchBuild, requireClean, waitForScan } from '../push/scan.ts'
import { formatTable } from '../ui/progress.ts'

const PAGE_SIZE = 50

/** The newest builds. */
export async function builds(context: Context, flags: ServerFlags): Promise<void> {
  const { api } = await connect(context, flags)
  const { items, total } = await api.call<Paged<Build>>(`${TOOL}/builds`, { query: { page_size: PAGE_SIZE } })
  const { heading, cell } = appColumn(items)
  const rows = items.map((build) => [
    build.version,
    build.channel,
    `${build.os} ${build.arch}`,
    ...cell(build),
    describeScans(build),
    showTime(build.created_at),
    build.build_id,
  ])
  context.output.result(
    formatTable(['VERSION', 'CHANNEL', 'PLATFORM', ...heading, 'SCAN', 'REGISTERED', 'BUILD'], rows),
  )
  if (total > items.length) context.output.note(`The newest ${items.length} of ${total} builds.`)
  context.output.json({ builds: items, total })
}

/** The build of every channel, the one that moved last first. */
export async function channels(context: Context, flags: ServerFlags): Promise<void> {
  const { api } = await connect(context, flags)
  const { items, total } = await api.call<Paged<Channel>>(`${TOOL}/channels`, {
    query: { page_size: PAGE_SIZE },
  })
  const newest = items.toSorted((a, b) => b.moved_at.localeCompare(a.moved_at))
  const { heading, cell } = appColumn(newest)
  const rows = newest.map(({ channel, version, os, arch, app, moved_at, moved_by, build_id }) => [
    channel,
    version,
    `${os} ${arch}`,
    ...cell({ app }),
    showTime(moved_at),
    moved_by,
    build_id,
  ])
  context.output.result(
    formatTable(['CHANNEL', 'VERSION', 'PLATFORM', ...heading, 'MOVED', 'BY', 'BUILD'], rows),
  )
  context.output.json({ channels: newest, total })
}

/** One build with the scans of its files; the newest without an id. */
export async function status(
  context: Context,
  buildId: string | undefined,
  { wait = false, ...flags }: ServerFlags & { wait?: boolean },
): Promise<void> {
  const { output } = context
  const { api } = await connect(context, flags, { isPatient: wait })
  const id = buildId ?? (await fetchNewest(context, api)).build_id
  const build = wait ? await waitForScan(api, output, id) : await fetchBuild(api, id)
  const { version, os, arch, channel, created_at } = build
  const app = build.app === MAIN_APP ? '' : `${build.app} `
  output.result(`build_id ${build.build_id}`)
  output.result(`${app}${version} for ${os} ${arch}, channel ${channel}, registered ${showTime(created_at)}`)
  const rows = build.files.map((file) => [
    file.filename,
    formatBytes(file.size),
    describeScan(file) + (file.scan_detail === null ? '' : `: ${file.scan_detail}`),
    file.file_uid,
  ])
  output.result(
    rows.length === 0 ? 'No file was uploaded yet.' : formatTable(['FILE', 'SIZE', 'SCAN', 'FILE UID'], rows),
  )
  if (wait) requireClean(build)
  output.json(build)
}

/** A column for tables of more than one app: most projects only have the game itself. */
function appColumn(items: readonly { app: string }[]) {
  const hasSeveral = new Set(items.map(({ app }) => app)).size > 1
  return {
    heading: hasSeveral ? ['APP'] : [],
    cell: ({ app }: { app: string }) => (hasSeveral ? [app] : []),
  }
}

async function fetchNewest(_: Context, api: Awaited<ReturnType<typeof connect>>['api']): Promise<Build> {
  const { items } = await api.call<Paged<Build>>(`${TOOL}/builds`, { query: { page_size: 1 } })
  const [newest] = items
  if (newest) return newest
  throw new CliError('refused', 'This game has no builds yet.', { hint: 'Upload one with "shelf push".' })
}

function describeScans({ files }: Build): string {
  return [...new Set(files.map(describeScan))].join(', ') || 'no file'
}

function showTime(moment: string): string {
  return moment.slice(0, 16).replace('T', ' ')
}
