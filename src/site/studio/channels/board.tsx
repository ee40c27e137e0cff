import type { Deps } from '../../../deps.ts'
import { BETA, DEV, STABLE } from '../../../domain/builds/channels.ts'
import type { Channel } from '../../../features/builds/channels/model.ts'
import { listChannels } from '../../../features/builds/channels/service.ts'
import type { Build } from '../../../features/builds/registry/model.ts'
import { listBuilds } from '../../../features/builds/registry/service.ts'
import { loadCrashKinds } from '../../../features/telemetry/crashes/service.ts'
import type { BuildHealth } from '../../../features/telemetry/health/model.ts'
import { loadHealthOf } from '../../../features/telemetry/health/service.ts'
import { parsePage } from '../../../lib/paging.ts'
import { Table } from '../../components/lists.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import {
  countText,
  Day,
  HealthBadge,
  isMain,
  otherAppText,
  ScanBadge,
  SYSTEM_LABELS,
} from '../../kit/labels.tsx'
import { engineOf, scanOf } from '../builds/scan.tsx'
import type { Project } from '../frame/studio-frame.tsx'

/** A table of platforms and channels: which build players get, and how healthy it is. */
export function Board({ project, board }: { project: Project; board: Board }) {
  const base = `/studio/${project.listing.vanity_name}/channels`
  const apps = new Map(board.rows.map((row) => [row.app, row]))
  return (
    <>
      <Table label="Channels by platform" columns={['Platform', ...board.channels]}>
        {board.rows.map((row) => (
          <tr key={row.key}>
            <th scope="row">
              {SYSTEM_LABELS[row.os]}
              <span class="quiet small"> {row.arch}</span>
              {isMain(row) ? null : (
                <p class="quiet small" dir="auto">
                  {row.app_name}
                </p>
              )}
            </th>
            {board.channels.map((channel) => (
              <td key={channel}>
                <BoardCell {...{ row, channel, action: `${base}/promote` }} />
              </td>
            ))}
          </tr>
        ))}
      </Table>
      <div class="row">
        {[...apps].flatMap(([app, first]) =>
          board.channels
            .filter((channel) => hasPast(board.rows, app, channel))
            .map((channel) => (
              <PostForm key={app + channel} action={`${base}/rollback`} class="row">
                <input type="hidden" name="channel" value={channel} />
                <input type="hidden" name="app" value={app} />
                <Submit look="second">
                  Roll back {channel}
                  {otherAppText(first, ' of ')}
                </Submit>
              </PostForm>
            )),
        )}
      </div>
      <p class="quiet small">
        Rolling back undoes the newest release of a channel on every platform it reached; repeat it to go
        further back.
      </p>
    </>
  )
}

function hasPast(rows: readonly BoardRow[], app: string, channel: string): boolean {
  return rows.some(
    (row) => row.app === app && (row.cells.get(channel)?.pointer.previous_build_id ?? null) !== null,
  )
}

function BoardCell({ row, channel, action }: { row: BoardRow; channel: string; action: string }) {
  const cell = row.cells.get(channel)
  const newest = row.ready[0]
  const candidate = newest?.build_id === cell?.pointer.build_id ? undefined : newest
  return (
    <div class="cell">
      {cell === undefined ? <span class="quiet">Empty</span> : <Current {...cell} />}
      {candidate === undefined ? null : (
        <PostForm action={action} class="row">
          <input type="hidden" name="build_id" value={candidate.build_id} />
          <input type="hidden" name="channel" value={channel} />
          <button
            type="submit"
            class="button second small"
            aria-label={`Promote ${candidate.version} to ${channel} on ${SYSTEM_LABELS[row.os]} ${row.arch}${otherAppText(row, ', ')}`}
          >
            Promote {candidate.version}
          </button>
        </PostForm>
      )}
    </div>
  )
}

function Current({ pointer, build, health, crashKinds }: Cell) {
  return (
    <>
      <p>
        <strong>{pointer.version}</strong>{' '}
        <span class="quiet small">
          since <Day at={pointer.moved_at} />
        </span>
      </p>
      <p class="row">
        {build === undefined ? null : <ScanBadge scan={scanOf(build.files)} engine={engineOf(build.files)} />}
        <HealthBadge band={health?.band ?? 'unrated'} />
      </p>
      <p class="quiet small">
        {health === undefined ? 'No device yet' : countText(health.devices, 'device')},{' '}
        {crashKinds === 0 ? 'no crash' : countText(crashKinds, 'kind of crash', 'kinds of crash')}
      </p>
    </>
  )
}

/** What a channel points at on one platform. */
interface Cell {
  pointer: Channel
  /** Undefined if the build is older than those that were loaded. */
  build: Build | undefined
  health: BuildHealth | undefined
  crashKinds: number
}

interface BoardRow {
  key: string
  app: string
  app_name: string
  os: Build['os']
  arch: string
  /** By channel. */
  cells: ReadonlyMap<string, Cell>
  /** Clean builds of the platform, newest first. */
  ready: readonly Build[]
}

export interface Board {
  channels: readonly string[]
  rows: readonly BoardRow[]
}

const MOST = parsePage({ page_size: '50' })
const USUAL = [STABLE, BETA, DEV]

/** Loads the board from the newest builds and all channel pointers. */
export async function loadBoard(deps: Deps, { user, listing }: Project): Promise<Board> {
  const [pointers, builds, crashKinds] = await Promise.all([
    listChannels(deps, user, listing.uid, MOST),
    listBuilds(deps, user, listing.uid, MOST),
    loadCrashKinds(deps.db, listing.uid),
  ])
  const health = await loadHealthOf(
    deps.db,
    pointers.items.map(({ build_id }) => build_id),
  )
  const rows = new Map<string, BoardRow & { cells: Map<string, Cell>; ready: Build[] }>()
  const rowOf = ({ app, app_name, os, arch }: Pick<Build, 'app' | 'app_name' | 'os' | 'arch'>) => {
    const key = `${isMain({ app }) ? '' : app} ${os} ${arch}`
    const row = rows.get(key) ?? { key, app, app_name, os, arch, cells: new Map<string, Cell>(), ready: [] }
    rows.set(key, row)
    return row
  }
  for (const pointer of pointers.items) {
    rowOf(pointer).cells.set(pointer.channel, {
      pointer,
      build: builds.items.find(({ build_id }) => build_id === pointer.build_id),
      health: health.get(pointer.build_id),
      crashKinds: crashKinds.get(pointer.version) ?? 0,
    })
  }
  for (const build of builds.items) if (isReady(build)) rowOf(build).ready.push(build)
  const used = pointers.items.map(({ channel }) => channel)
  return {
    channels: [...new Set([...USUAL, ...used])],
    rows: [...rows.values()].toSorted((a, b) => (a.key < b.key ? -1 : 1)),
  }
}

function isReady({ files }: Build): boolean {
  return files.length > 0 && files.every(({ scan }) => scan === 'clean')
}
