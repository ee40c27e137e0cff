import type { Build } from '../../../features/builds/registry/model.ts'
import { type BuildHealth, DEVICES_MIN } from '../../../features/telemetry/health/model.ts'
import type { EventQuotaState } from '../../../features/telemetry/quota/service.ts'
import type { Paged } from '../../../lib/paging.ts'
import { BarChart } from '../../components/chart.tsx'
import { Empty, Pager, Table } from '../../components/lists.tsx'
import { Notice } from '../../components/notice.tsx'
import { FieldGroup } from '../../kit/form.tsx'
import {
  bytesText,
  countText,
  HealthBadge,
  numberText,
  otherAppText,
  SYSTEM_LABELS,
} from '../../kit/labels.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

export interface BuildReport {
  build: Build
  health: BuildHealth | undefined
}

interface HealthProps extends TabProps {
  reports: Paged<BuildReport>
  quota: EventQuotaState
}

export function HealthPage({ project, state, reports, quota }: HealthProps) {
  const { visit } = state
  const heard = reports.items.filter(({ health }) => health !== undefined && health.devices > 0)
  return (
    <StudioPage
      {...{ visit, project }}
      tab="health"
      lead={`How many devices start a build, from the events your game sends: boot_ok once it runs, crash when it does not. A build is rated from ${DEVICES_MIN} devices on.`}
    >
      <RefusedEvents quota={quota} />
      {heard.length === 0 ? (
        <Empty title="Nothing was heard from a device yet">
          Send the event boot_ok when your game has started. The <a href="/docs">API description</a> shows
          how.
        </Empty>
      ) : (
        <FieldGroup id="chart" title="Devices that start, per build">
          <BarChart
            summary={`Of each build: devices that started, and devices that crashed before. ${countText(heard.length, 'build')}; the table has the numbers.`}
            bars={heard.toReversed().map(({ build, health }) => ({
              label: `${build.version} ${SYSTEM_LABELS[build.os]}`,
              note: otherAppText(build),
              values: [
                { tone: 'good', value: health?.boot_ok ?? 0 },
                { tone: 'bad', value: health?.crashed ?? 0 },
              ],
            }))}
          />
          <p class="legend small">
            <span class="key good">Started</span> <span class="key bad">Crashed before</span>
          </p>
        </FieldGroup>
      )}
      {reports.total === 0 ? null : (
        <FieldGroup id="numbers" title="Per build">
          <HealthTable reports={reports.items} />
          {reports.items.some(({ health }) => (health?.left_out ?? 0) > 0) ? (
            <p class="quiet small">
              Devices are left out where too many come from one network: with {DEVICES_MIN} devices of other
              networks, one counts for at most a fifth of those, and the devices heard first count.
            </p>
          ) : null}
          <p>
            <a href={`/studio/${project.listing.vanity_name}/health.csv`}>Download as CSV</a>
          </p>
          <Pager {...reports} url={visit.url} />
        </FieldGroup>
      )}
    </StudioPage>
  )
}

function HealthTable({ reports }: { reports: readonly BuildReport[] }) {
  return (
    <Table
      label="Health per build"
      columns={[
        'Version',
        'Platform',
        'Channel',
        'Health',
        { number: 'Devices' },
        { number: 'Started' },
        { number: 'Crashed before' },
        { number: 'Left out' },
        { number: 'Median session' },
      ]}
    >
      {reports.map(({ build, health }) => (
        <tr key={build.build_id}>
          <th scope="row">{build.version}</th>
          <td>
            {SYSTEM_LABELS[build.os]} {build.arch}
            {otherAppText(build, ', ')}
          </td>
          <td>{build.channel}</td>
          <td>
            <HealthBadge band={health?.band ?? 'unrated'} />
          </td>
          <td class="number">{numberText(health?.devices ?? 0)}</td>
          <td class="number">{shareText(health?.boot_ok, health?.devices, Math.floor)}</td>
          <td class="number">{shareText(health?.crashed, health?.devices, Math.ceil)}</td>
          <td class="number">{numberText(health?.left_out ?? 0)}</td>
          <td class="number">{sessionText(health?.median_session_s)}</td>
        </tr>
      ))}
    </Table>
  )
}

/** Rounded so that a percentage never looks better than the band. */
function shareText(part = 0, all = 0, round: (value: number) => number): string {
  return all === 0 ? '–' : `${numberText(part)} (${round((part * 100) / all)}%)`
}

function sessionText(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined) return '–'
  return seconds < 60 ? `${seconds} s` : `${Math.round(seconds / 60)} min`
}

/** Shown on a day on which events or crash reports were refused. */
export function RefusedEvents({ quota }: { quota: EventQuotaState }) {
  const { limits, refusedOfGame, refusedOfNetworks } = quota
  if (refusedOfGame + refusedOfNetworks === 0) return null
  return (
    <Notice tone="warn">
      {countText(refusedOfGame + refusedOfNetworks, 'event or crash report', 'events and crash reports')} of
      today were refused.
      {refusedOfGame > 0
        ? ` ${numberText(refusedOfGame)} because a game may send ${numberText(limits.game.events)} events or ${bytesText(limits.game.bytes)} a day.`
        : ''}
      {refusedOfNetworks > 0
        ? ` ${numberText(refusedOfNetworks)} because one network may send ${numberText(limits.network.events)} events or ${bytesText(limits.network.bytes)} of them.`
        : ''}{' '}
      They are accepted again after midnight UTC.
    </Notice>
  )
}
