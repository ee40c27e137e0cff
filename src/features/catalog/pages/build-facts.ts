import { MAIN_APP } from '../../../domain/builds/channels.ts'
import { showEngine } from '../../../domain/builds/files.ts'
import type { HealthBand } from '../../../domain/builds/health-bands.ts'
import type { StableFacts, StableFile } from '../../builds/channels/stable-files.ts'
import type { PublicFile } from './listing-model.ts'
import type { Card } from './model.ts'

/** What pages and cards show about the builds of a listing. */
export interface BuildFacts {
  health: Card['health']
  scan: Card['scan']
  platforms: Card['platforms']
  isPlayable: boolean
}

/** Without stable files there is no scan state and no platform; without a band the build is unrated. */
export function toBuilds(stable: StableFacts | undefined, band: HealthBand | undefined): BuildFacts {
  return {
    health: { band: band ?? 'unrated' },
    scan: stable?.scan ?? null,
    platforms: stable?.platforms ?? [],
    isPlayable: stable?.isPlayable ?? false,
  }
}

export function toFile(file: StableFile): PublicFile {
  return {
    file_uid: file.fileUid,
    filename: file.filename,
    size: file.size,
    checksum: file.checksum,
    app: file.app,
    app_name: file.appName,
    os: file.os,
    arch: file.arch,
    channel: file.channel,
    version: file.version,
    build_id: file.buildUid,
    scan: file.scan,
    scan_engine: showEngine(file.scanEngine),
    uploaded_at: file.uploadedAt.toISOString(),
    apk: file.hasApk,
  }
}

/** The newest of the stable files that a browser can open, as play origins choose it. */
export function findPlayable(files: readonly StableFile[]): StableFile | undefined {
  const playable = files.filter(
    ({ app, os, entryPage }) => app === MAIN_APP && os === 'web' && entryPage !== null,
  )
  return playable.toSorted(
    (a, b) => b.movedAt.getTime() - a.movedAt.getTime() || (a.fileUid < b.fileUid ? 1 : -1),
  )[0]
}
