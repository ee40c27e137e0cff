import type { Deps } from '../../../deps.ts'
import { BETA, DEV, STABLE } from '../../../domain/builds/channels.ts'
import type { Channel } from '../../../features/builds/channels/model.ts'
import { listChannels } from '../../../features/builds/channels/service.ts'
import type { Build } from '../../../features/builds/registry/model.ts'
import { listBuilds } from '../../../features/builds/registry/service.ts'
import { readCrashKinds } from '../../../features/telemetry/crashes/service.ts'
import type { BuildHealth } from '../../../features/telemetry/health/model.ts'
import { readHealthOf } from '../../../features/telemetry/health/service.ts'
import { readPage } from '../../../lib/paging.ts'
import { isMain } from '../../kit/apps.ts'
import type { Project } from '../frame/project.ts'

/** What a channel points at on one platform. */
export interface Cell {
  pointer: Channel
  /** Undefined when it is older than the builds that are listed. */
  build: Build | undefined
  health: BuildHealth | undefined
  crashKinds: number
}

export interface BoardRow {
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

const MOST = readPage({ page_size: '50' })
const USUAL = [STABLE, BETA, DEV]

/** Platforms by channels, from the newest builds and every pointer. */
export async function readBoard(deps: Deps, { user, listing }: Project): Promise<Board> {
  const [pointers, builds, crashKinds] = await Promise.all([
    listChannels(deps, user, listing.uid, MOST),
    listBuilds(deps, user, listing.uid, MOST),
    readCrashKinds(deps.db, listing.uid),
  ])
  const health = await readHealthOf(
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
