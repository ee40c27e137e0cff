import type { Channel } from '../../../features/builds/channels/model.ts'
import type { WebFile } from '../../../features/builds/channels/stable-files.ts'
import type { Build, BuildFile } from '../../../features/builds/registry/model.ts'
import type { OpenSession } from '../../../features/builds/uploads/model.ts'
import { DAYS_DEFAULT, type VersionCount } from '../../../features/catalog/downloads/model.ts'
import type { StorageUse } from '../../../features/storage/quota.ts'
import type { BuildHealth } from '../../../features/telemetry/health/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { SYSTEM_ICONS } from '../../components/icons.tsx'
import { Pager } from '../../components/lists.tsx'
import { Notice } from '../../components/notice.tsx'
import { StorageBar } from '../../components/storage-bar.tsx'
import { EMPTY_FORM } from '../../kit/form-state.ts'
import { Field } from '../../kit/form.tsx'
import {
  Badge,
  bytesText,
  countText,
  Day,
  HealthBadge,
  isMain,
  Moment,
  numberText,
  ScanBadge,
  SYSTEM_LABELS,
} from '../../kit/labels.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { UploadForm } from './build-form.tsx'
import { ScanDetail } from './scan.tsx'
import { WebFileState, WebPlayerForm } from './web-player-form.tsx'

interface BuildsPageProps extends TabProps {
  builds: Paged<Build>
  sessions: readonly OpenSession[]
  channels: readonly Channel[]
  counts: readonly VersionCount[]
  /** By build; builds without events are left out. */
  health: ReadonlyMap<string, BuildHealth>
  canUpload: boolean
  storage: StorageUse
  /** The clean files of web builds. */
  webFiles: readonly WebFile[]
  /** Whether this store serves each game from its own origin, which playing in the browser needs. */
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
          {project.listing.role === 'owner' ? <a href="/account/security#email">Confirm yours</a> : null}
        </Notice>
      )}
      <StorageBar storage={storage} />
      <section class="stack" aria-labelledby="builds-heading" data-events={`${base}/events`}>
        <h2 id="builds-heading">Builds</h2>
        <div class="stack" data-live="builds">
          {builds.total === 0 ? (
            <div class="empty">
              <h3>No build yet</h3>
              <p>
                {canUpload
                  ? 'Upload a zip above, or push one from your build pipeline with shelf.'
                  : 'Once the address is confirmed, you upload a zip here, or push one from your build pipeline.'}
              </p>
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
  /** The channels that point at the build. */
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
        {isMain(build) ? null : (
          <Badge>
            <bdi>{app_name}</bdi>
          </Badge>
        )}
        <Day at={created_at} />
        <span>
          {countText(downloads, 'download')} in {DAYS_DEFAULT} days
        </span>
        <HealthText health={health} />
      </p>
      {title === '' ? null : (
        <p class="small" dir="auto">
          {title}
        </p>
      )}
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

function FileRow({ file }: { file: BuildFile }) {
  return (
    <li>
      <bdi class="name">{file.filename}</bdi>
      <span class="quiet">{bytesText(file.size)}</span>
      <ScanBadge scan={file.scan} engine={file.scan_engine} />
      <ScanDetail file={file} />
    </li>
  )
}

interface UnfinishedProps {
  sessions: readonly OpenSession[]
  /** The builds of this page; older ones are named by their file alone. */
  builds: readonly Build[]
}

/** Uploads that were interrupted. The browser forgets the file on a reload, so it has to be chosen again. */
function UnfinishedUploads({ sessions, builds }: UnfinishedProps) {
  if (sessions.length === 0) return null
  return (
    <section class="panel stack" aria-labelledby="unfinished-heading">
      <h2 id="unfinished-heading">Unfinished uploads</h2>
      <p class="quiet small">
        They go on by themselves while their page or program runs. After a reload, choose the same file again:
        what arrived is not sent twice.
      </p>
      <ul class="records">
        {sessions.map((session) => (
          <li key={session.session_id}>
            <Unfinished
              session={session}
              build={builds.find(({ build_id }) => build_id === session.build_id)}
            />
          </li>
        ))}
      </ul>
    </section>
  )
}

function Unfinished({ session, build }: { session: OpenSession; build: Build | undefined }) {
  const { session_id, filename, expected_size, current_size, checksum, source, expires_at } = session
  return (
    <div
      class="unfinished"
      data-session={session_id}
      data-name={filename}
      data-size={expected_size}
      data-checksum={checksum}
    >
      <p>
        <bdi>
          <strong>{filename}</strong>
        </bdi>
        {build === undefined ? null : ` for ${build.version}, ${SYSTEM_LABELS[build.os]} ${build.arch}`}
      </p>
      <progress max={expected_size} value={current_size} aria-label={`Arrived of ${filename}`} />
      <p class="quiet small">
        {bytesText(current_size)} of {bytesText(expected_size)} arrived. Kept until <Moment at={expires_at} />
        .
      </p>
      {source === 'website' && checksum !== null ? (
        <Field
          {...{ form: EMPTY_FORM, scope: 'continue', name: session_id }}
          label={`Continue: choose ${filename} again`}
        >
          {({ id }) => <input id={id} type="file" accept=".zip" data-continues />}
        </Field>
      ) : (
        <p class="small">It is sent by a build pipeline, which continues it itself.</p>
      )}
      <p>
        <button type="button" class="button plain" data-ends={session_id}>
          Cancel upload of {filename}
        </button>
      </p>
    </div>
  )
}
