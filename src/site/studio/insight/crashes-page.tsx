import type { Crash, CrashGroup } from '../../../features/telemetry/crashes/model.ts'
import type { EventQuotaState } from '../../../features/telemetry/quota/service.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Empty, Pager } from '../../components/lists.tsx'
import { FieldGroup } from '../../kit/form.tsx'
import { Badge, countText, Day, Moment } from '../../kit/labels.tsx'
import { FactsList, LogPanel } from '../frame/report-parts.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { RefusedEvents } from './health-page.tsx'

const LEAD =
  'Crashes with the same cause are one entry, the newest first. Upload symbols with a build to see functions and lines instead of offsets.'

interface CrashesProps extends TabProps {
  groups: Paged<CrashGroup>
  quota: EventQuotaState
}

export function CrashesPage({ project, state, groups, quota }: CrashesProps) {
  const { visit } = state
  const base = `/studio/${project.listing.vanity_name}/crashes`
  return (
    <StudioPage {...{ visit, project }} tab="crashes" lead={LEAD}>
      <RefusedEvents quota={quota} />
      {groups.total === 0 ? (
        <Empty title="No crash was reported">
          Games report crashes through the API; they show here grouped by their cause.
        </Empty>
      ) : (
        <>
          <p class="row between">
            <span>{countText(groups.total, 'kind of crash', 'kinds of crash')}</span>
            <a href={`${base}.csv`}>Download as CSV</a>
          </p>
          {groups.items.map((group) => (
            <Group key={group.signature} group={group} base={base} />
          ))}
        </>
      )}
      <Pager {...groups} url={visit.url} />
    </StudioPage>
  )
}

function Group({ group, base }: { group: CrashGroup; base: string }) {
  const { reason, signature, count, devices, versions, first_seen_at, last_seen_at, stack, crash_uid } = group
  return (
    <article class="panel stack crash">
      <h2>{reason}</h2>
      <p class="quiet small">{signature}</p>
      <p class="row small">
        <Badge tone="bad">{countText(count, 'crash', 'crashes')}</Badge>
        <Badge>{countText(devices, 'device')}</Badge>
        <span>
          {versions.join(', ')}; first <Day at={first_seen_at} />, last <Day at={last_seen_at} />
        </span>
      </p>
      <Stack frames={stack} />
      {crash_uid === null ? null : (
        <p>
          <a href={`${base}/${crash_uid}`} aria-label={`Newest report of ${reason}`}>
            Newest report
          </a>
        </p>
      )}
    </article>
  )
}

interface Frame {
  module: string
  offset: number
  function?: string | null
  file?: string | null
  line?: number | null
}

function Stack({ frames }: { frames: readonly Frame[] }) {
  if (frames.length === 0) return <p class="quiet small">The report had no stack.</p>
  return (
    <ol class="stack-frames">
      {frames.map((frame, index) => (
        <li key={index}>
          <code>
            {frame.function ?? `${frame.module} + 0x${frame.offset.toString(16)}`}
            {frame.file ? ` (${frame.file}${frame.line ? `:${frame.line}` : ''})` : ''}
          </code>
        </li>
      ))}
    </ol>
  )
}

/** One report as the game sent it. */
export function CrashPage({ project, state, crash }: TabProps<{ crash: Crash }>) {
  const { visit } = state
  const facts = [
    ['Version', crash.version],
    ['System', [crash.os, crash.arch].filter(Boolean).join(' ')],
    ['When', <Moment at={crash.at} />],
    ['Before the game had started', crash.before_boot ? 'yes' : 'no'],
    ['Device', crash.device_id],
    ['Session', crash.session_id],
  ] as const
  return (
    <StudioPage {...{ visit, project }} tab="crashes" lead={crash.reason}>
      <p>
        <a href={`/studio/${project.listing.vanity_name}/crashes`}>All crashes</a>
      </p>
      <FieldGroup id="facts" title="Report">
        <FactsList facts={facts} />
      </FieldGroup>
      <FieldGroup id="stack" title="Stack as it was sent">
        <Stack frames={crash.frames} />
      </FieldGroup>
      <LogPanel log={crash.log} />
    </StudioPage>
  )
}
