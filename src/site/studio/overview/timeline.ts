import type { Deps } from '../../../deps.ts'
import type { Move } from '../../../features/builds/channels/model.ts'
import { listMoves } from '../../../features/builds/channels/service.ts'
import type { Build } from '../../../features/builds/registry/model.ts'
import { listBuilds } from '../../../features/builds/registry/service.ts'
import { loadDownloadCounts } from '../../../features/catalog/downloads/analytics.ts'
import type { DownloadCount } from '../../../features/catalog/downloads/model.ts'
import type { Downloads } from '../../../features/catalog/downloads/service.ts'
import { listChanges } from '../../../features/listings/changelog/service.ts'
import type { CrashGroup } from '../../../features/telemetry/crashes/model.ts'
import { listCrashes } from '../../../features/telemetry/crashes/service.ts'
import type { PlatformHealth } from '../../../features/telemetry/health/service.ts'
import { parsePage } from '../../../lib/paging.ts'
import { countText, HEALTH_TEXTS, otherAppText, SYSTEM_LABELS } from '../../kit/labels.tsx'
import type { Project } from '../frame/studio-frame.tsx'

export interface TimelineEntry {
  at: string
  kind: 'Build' | 'Channel' | 'Health' | 'Crash' | 'Downloads' | 'Page' | 'Changelog'
  text: string
  /** The tab with the details. */
  tab: string
}

const NEWEST = parsePage({ page_size: '20' })
const SHOWN = 25
const DOWNLOAD_DAYS = 14

/** The newest events of a project, newest first. */
export async function listTimeline(
  deps: Deps,
  downloads: Downloads,
  { user, listing }: Project,
  health: readonly PlatformHealth[],
): Promise<TimelineEntry[]> {
  const { uid } = listing
  const [builds, moves, crashes, changes, counts] = await Promise.all([
    listBuilds(deps, user, uid, NEWEST),
    listMoves(deps, user, uid, NEWEST),
    listCrashes(deps, user, uid, undefined, NEWEST),
    listChanges(deps, user, uid, NEWEST),
    loadDownloadCounts(downloads, user, uid, DOWNLOAD_DAYS, parsePage({ page_size: '50' })),
  ])
  const entries: TimelineEntry[] = [
    ...builds.items.map(showBuild),
    ...moves.items.map(showMove),
    ...health.flatMap(showHealth),
    ...crashes.items.map(showCrash),
    ...showDownloads(counts.items),
    ...changes.items.map(({ created_at, title }) => ({
      at: created_at,
      kind: 'Changelog' as const,
      tab: 'changelog',
      text: `“${title}” was added to the changelog`,
    })),
    ...showPage(listing),
  ]
  return entries.toSorted((a, b) => (a.at < b.at ? 1 : -1)).slice(0, SHOWN)
}

function showBuild({ created_at, version, os, arch, channel, ...app }: Build): TimelineEntry {
  const text = `${version}${otherAppText(app, ' of ')} for ${SYSTEM_LABELS[os]} ${arch} was registered for ${channel}`
  return { at: created_at, kind: 'Build', tab: 'builds', text }
}

function showMove(move: Move): TimelineEntry {
  const { moved_at, moved_by, kind, channel, from_version, to_version, os } = move
  const from = from_version === null ? '' : ` from ${from_version}`
  const verb = kind === 'rollback' ? 'was rolled back' : 'moved'
  const text = `${channel}${otherAppText(move, ' of ')} on ${SYSTEM_LABELS[os]} ${verb}${from} to ${to_version}, ${moved_by === 'website' ? 'by an upload on the website' : `by ${moved_by}`}`
  return { at: moved_at, kind: 'Channel', tab: 'channels', text }
}

/** Builds with reports from too few devices have no rating, and no entry. */
function showHealth({ os, version, band, judgedAt }: PlatformHealth): TimelineEntry[] {
  if (judgedAt === null || band === 'unrated') return []
  const text = `${version} on ${SYSTEM_LABELS[os]} was rated: ${HEALTH_TEXTS[band].label.toLowerCase()}`
  return [{ at: judgedAt.toISOString(), kind: 'Health', tab: 'health', text }]
}

function showCrash({ last_seen_at, reason, count, devices }: CrashGroup): TimelineEntry {
  const text = `${reason}: ${countText(count, 'crash', 'crashes')} on ${countText(devices, 'device')}`
  return { at: last_seen_at, kind: 'Crash', tab: 'crashes', text }
}

function showDownloads(counts: readonly DownloadCount[]): TimelineEntry[] {
  const byDay = Map.groupBy(counts, ({ day }) => day)
  return [...byDay].map(([day, rows]) => {
    const total = (isServed: boolean) =>
      rows.reduce((sum, { outcome, count }) => ((outcome === 200) === isServed ? sum + count : sum), 0)
    const refused = total(false) === 0 ? '' : `, ${total(false)} refused`
    return {
      at: `${day}T00:00:00.000Z`,
      kind: 'Downloads',
      tab: 'downloads',
      text: countText(total(true), 'download') + refused,
    }
  })
}

function showPage({ created_at, published_at, updated_at }: Project['listing']): TimelineEntry[] {
  const moments = [
    [created_at, 'The project was created'],
    [published_at, 'The page was published for the first time'],
    [updated_at, 'The page was last edited'],
  ] as const
  return moments.flatMap(([at, text]) => (at === null ? [] : [{ at, text, kind: 'Page', tab: 'page' }]))
}
