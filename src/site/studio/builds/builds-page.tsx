import type { Channel } from '../../../features/builds/channels/model.ts'
import type { Build, BuildFile } from '../../../features/builds/registry/model.ts'
import type { OpenSession } from '../../../features/builds/uploads/model.ts'
import type { WebFile } from '../../../features/builds/web-builds/service.ts'
import { DAYS_DEFAULT, type VersionCount } from '../../../features/catalog/downloads/model.ts'
import type { StorageUse } from '../../../features/storage/quota.ts'
import type { BuildHealth } from '../../../features/telemetry/health/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Badge, HealthBadge, ScanBadge } from '../../components/badge.tsx'
import { SYSTEM_ICONS } from '../../components/icons.tsx'
import { Notice } from '../../components/notice.tsx'
import { Pager } from '../../components/pager.tsx'
import { StorageBar } from '../../components/storage-bar.tsx'
import { isMain } from '../../kit/apps.ts'
import { Day } from '../../kit/dates.tsx'
import { bytesText, countText, numberText, SYSTEM_LABELS } from '../../kit/labels.ts'
import { type PageState } from '../../kit/pages.ts'
import type { Project } from '../frame/project.ts'
import { StudioPage } from '../frame/studio-frame.tsx'
import { UploadForm } from './build-form.tsx'
import { ScanDetail } from './scan.tsx'
import { UnfinishedUploads } from './unfinished-uploads.tsx'
import { WebFileState, WebPlayerForm } from './web-player.tsx'

interface BuildsPageProps {
  project: Project
  state: PageState
  builds: Paged<Build>
  sessions: readonly OpenSession[]
  channels: readonly Channel[]
  counts: readonly VersionCount[]
  /** By build; those nobody was heard from are left out. */
  health: ReadonlyMap<string, BuildHealth>
  canUpload: boolean
  storage: StorageUse
  /** The clean files of web builds. */
  webFiles: readonly WebFile[]
  /** Whether this store has an origin for every game. */
  canPlay: boolean
}

export function BuildsPage(props: BuildsPageProps) {
  const {
    project,
    state,
    builds,
    sessions,
    channels,
    counts,
    health,
    canUpload,
    storage,
    webFiles,
    canPlay,
  } = props
  const { visit } = state
  const hasWeb = project.listing.web_player !== null || builds.items.some(({ os }) => os === 'web')
  const base = `/studio/${project.listing.vanity_name}/builds`
  return (
    <StudioPage
      {...{ visit, project }}
      tab="builds"
      lead="Every build is scanned before anyone can download it."
      notices={{ deleted: 'The build is deleted.', 'web-player': 'The web player is saved.' }}
      scripts={canUpload ? ['studio', 'upload', 'live'] : ['live']}
    >
      <div class="stack" data-live="unfinished">
        <UnfinishedUploads sessions={sessions} builds={builds.items} />
      </div>
      {canUpload ? (
        <UploadForm
          {...{ project, os: visit.os, channels: channelsOf(builds.items, channels) }}
          apps={appsOf(builds.items, channels)}
        />
      ) : (
        <Notice tone="warn">
          Uploads need a confirmed e-mail address of the owner.{' '}
          {project.listing.role === 'owner' ? <a href="/account#email">Confirm yours</a> : null}
        </Notice>
      )}
      <StorageBar storage={storage} />
      <section class="stack" aria-labelledby="builds-heading" data-events={`${base}/events`}>
        <h2 id="builds-heading">Builds</h2>
        <div class="stack" data-live="builds">
          {builds.total === 0 ? (
            <div class="empty">
              <h3>No build yet</h3>
              <p>Upload a zip above, or push one from your build pipeline with shelf.</p>
            </div>
          ) : (
            <ul class="builds">
              {builds.items.map((build) => (
                <li key={build.build_id} class="panel">
                  <BuildRow
                    {...{ build, base, health: health.get(build.build_id) }}
                    webFile={webFiles.find(({ buildUid }) => buildUid === build.build_id)}
                    canPlay={canPlay}
                    vanityName={project.listing.vanity_name}
                    {...factsOf(build, channels, counts)}
                  />
                </li>
              ))}
            </ul>
          )}
          <Pager {...builds} url={visit.url} />
        </div>
      </section>
      {hasWeb ? <WebPlayerForm {...{ project, state, canPlay }} /> : null}
    </StudioPage>
  )
}

function factsOf({ build_id }: Build, channels: readonly Channel[], counts: readonly VersionCount[]) {
  return {
    on: channels.filter((channel) => channel.build_id === build_id).map(({ channel }) => channel),
    downloads: counts.find((count) => count.build_id === build_id)?.count ?? 0,
  }
}

function channelsOf(builds: readonly Build[], channels: readonly Channel[]): string[] {
  return [...builds, ...channels].map(({ channel }) => channel)
}

function appsOf(builds: readonly Build[], channels: readonly Channel[]): ReadonlyMap<string, string> {
  return new Map([...builds, ...channels].map(({ app, app_name }) => [app, app_name]))
}

interface BuildRowProps {
  build: Build
  base: string
  /** The channels that point at it. */
  on: readonly string[]
  downloads: number
  health: BuildHealth | undefined
  webFile: WebFile | undefined
  canPlay: boolean
  vanityName: string
}

function BuildRow({ build, base, on, downloads, health, webFile, ...rest }: BuildRowProps) {
  const { build_id, version, os, arch, app_name, channel, title, created_at, files } = build
  const SystemIcon = SYSTEM_ICONS[os]
  return (
    <article class="build" aria-labelledby={`build-${build_id}`}>
      <div class="row between">
        <h3 id={`build-${build_id}`}>
          <a href={`${base}/${build_id}`}>{version}</a>
        </h3>
        <p class="row small">
          {on.map((name) => (
            <Badge key={name} tone="good">
              On {name}
            </Badge>
          ))}
          {on.length === 0 ? <Badge>For {channel}</Badge> : null}
        </p>
      </div>
      <p class="row small quiet">
        <span class="row tight">
          <SystemIcon /> {SYSTEM_LABELS[os]} {arch}
        </span>
        {isMain(build) ? null : <Badge>{app_name}</Badge>}
        <Day at={created_at} />
        <span>
          {countText(downloads, 'download')} in {DAYS_DEFAULT} days
        </span>
        <HealthText health={health} />
      </p>
      {title === '' ? null : <p class="small">{title}</p>}
      {files.length === 0 ? (
        <p class="small quiet">No file yet.</p>
      ) : (
        <ul class="build-files">
          {files.map((file) => (
            <FileRow key={file.file_uid} file={file} />
          ))}
        </ul>
      )}
      <WebFileState file={webFile} {...rest} />
    </article>
  )
}

function HealthText({ health }: { health: BuildHealth | undefined }) {
  if (health === undefined) return <span>No device yet</span>
  return (
    <span class="row tight">
      <HealthBadge band={health.band} /> {countText(health.devices, 'device')}
      {health.left_out === 0 ? null : `, ${numberText(health.left_out)} more left out`}
    </span>
  )
}

export function FileRow({ file }: { file: BuildFile }) {
  return (
    <li>
      <bdi class="name">{file.filename}</bdi>
      <span class="quiet">{bytesText(file.size)}</span>
      <ScanBadge scan={file.scan} engine={file.scan_engine} />
      <ScanDetail file={file} />
    </li>
  )
}
