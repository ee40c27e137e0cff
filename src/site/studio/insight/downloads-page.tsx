import type { Move } from '../../../features/builds/channels/model.ts'
import type { DownloadTotals } from '../../../features/catalog/downloads/analytics.ts'
import type { DownloadCount, VersionCount } from '../../../features/catalog/downloads/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { BarChart } from '../../components/chart.tsx'
import { Pager, Table } from '../../components/lists.tsx'
import { Periods } from '../../components/periods.tsx'
import { FieldGroup } from '../../kit/form.tsx'
import { countText, Day, dayOfYearText, numberText, otherAppText, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const PERIODS = [7, 30, 90]

const SOURCE_LABELS: Readonly<Record<DownloadCount['source'], string>> = {
  signed_out: 'Without an account',
  install: 'Installed with shelf or a launcher',
  update: 'Updated with shelf or a launcher',
  redirect: 'Direct link',
  asset_library: 'Editor',
  library: 'Library',
  play: 'Played in the browser',
}
/** Why a download was refused, by error code. */
const REASONS: Readonly<Record<number, string>> = {
  4001: 'Had to sign in',
  4023: 'Had to buy it',
  4030: 'Had no licence',
  4040: 'File not there or not public',
  4099: 'Still being scanned',
  5030: 'Link could not be signed',
}

interface DownloadsProps extends TabProps {
  days: number
  totals: DownloadTotals
  versions: readonly VersionCount[]
  counts: Paged<DownloadCount>
  moves: readonly Move[]
}

export function DownloadsPage({ project, state, days, totals, versions, counts, moves }: DownloadsProps) {
  const { visit } = state
  const base = `/studio/${project.listing.vanity_name}/downloads`
  const served = totals.days.reduce((sum, day) => sum + day.served, 0)
  const refused = totals.refusals.reduce((sum, { count }) => sum + count, 0)
  const summary = `${countText(served, 'download')} and ${countText(refused, 'refused attempt')} in ${days} days.`
  return (
    <StudioPage {...{ visit, project }} tab="downloads" lead={summary}>
      <Periods base={base} days={days} choices={PERIODS} />
      <FieldGroup
        id="chart"
        title="Per day"
        hint="A dot marks a day on which stable moved to another version."
      >
        <BarChart summary={`${summary} The table has every day.`} bars={barsOf(totals, moves)} />
        <p class="legend small">
          <span class="key fair">Downloads</span> <span class="key warn">Refused</span>
        </p>
        <details>
          <summary>Every day as a table</summary>
          <DayTable totals={totals} moves={moves} />
        </details>
      </FieldGroup>
      <div class="pair">
        <FieldGroup id="versions" title="Per version">
          {versions.length === 0 ? (
            <p class="quiet">No download yet.</p>
          ) : (
            <VersionTable versions={versions} />
          )}
        </FieldGroup>
        <FieldGroup id="refusals" title="Why downloads were refused">
          {totals.refusals.length === 0 ? (
            <p class="quiet">None was refused.</p>
          ) : (
            <RefusalChart totals={totals} />
          )}
        </FieldGroup>
      </div>
      {counts.total === 0 ? null : (
        <FieldGroup id="details" title="By source, program and country">
          <DetailTable counts={counts.items} />
          <Pager {...counts} url={visit.url} />
        </FieldGroup>
      )}
    </StudioPage>
  )
}

function releasesOn(moves: readonly Move[], day: string): string | undefined {
  const versions = moves.filter((move) => move.channel === 'stable' && move.moved_at.startsWith(day))
  return versions.length === 0 ? undefined : [...new Set(versions.map((move) => move.to_version))].join(', ')
}

function barsOf({ days }: DownloadTotals, moves: readonly Move[]) {
  return days.map(({ day, served, refused }) => ({
    label: dayOfYearText(day),
    values: [
      { tone: 'fair' as const, value: served },
      { tone: 'warn' as const, value: refused },
    ],
    mark: releasesOn(moves, day),
  }))
}

function DayTable({ totals, moves }: { totals: DownloadTotals; moves: readonly Move[] }) {
  return (
    <Table
      label="Downloads per day"
      columns={['Day', { number: 'Downloads' }, { number: 'Refused' }, 'Released']}
    >
      {totals.days.toReversed().map(({ day, served, refused }) => (
        <tr key={day}>
          <th scope="row">
            <Day at={day} />
          </th>
          <td class="number">{numberText(served)}</td>
          <td class="number">{numberText(refused)}</td>
          <td>{releasesOn(moves, day) ?? ''}</td>
        </tr>
      ))}
    </Table>
  )
}

function VersionTable({ versions }: { versions: readonly VersionCount[] }) {
  return (
    <Table
      label="Downloads per version"
      columns={['Version', 'Platform', { number: 'Downloads' }, { number: 'Refused' }]}
    >
      {versions.map(({ build_id, version, os, arch, count, refused, ...app }) => (
        <tr key={build_id}>
          <th scope="row">{version}</th>
          <td>
            {SYSTEM_LABELS[os]} {arch}
            {otherAppText(app, ', ')}
          </td>
          <td class="number">{numberText(count)}</td>
          <td class="number">{numberText(refused)}</td>
        </tr>
      ))}
    </Table>
  )
}

function RefusalChart({ totals }: { totals: DownloadTotals }) {
  const most = Math.max(...totals.refusals.map(({ count }) => count))
  return (
    <ul class="meters">
      {totals.refusals.map(({ outcome, count }) => (
        <li key={outcome}>
          <span class="row between">
            <span>{reasonText(outcome)}</span>
            <span>{numberText(count)}</span>
          </span>
          <svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true">
            <rect class="warn" width={(count / most) * 100} height="4" rx="1" />
          </svg>
        </li>
      ))}
    </ul>
  )
}

function DetailTable({ counts }: { counts: readonly DownloadCount[] }) {
  return (
    <Table
      label="Attempts by day, source, program, country and outcome"
      columns={['Day', 'Source', 'Program', 'Country', 'Outcome', { number: 'Attempts' }]}
    >
      {counts.map(({ day, source, client, country, outcome, count }) => (
        <tr key={[day, source, client, country, outcome].join()}>
          <th scope="row">
            <Day at={day} />
          </th>
          <td>{SOURCE_LABELS[source]}</td>
          <td>{client}</td>
          <td>{country ?? '–'}</td>
          <td>{outcome === 200 ? 'Downloaded' : reasonText(outcome)}</td>
          <td class="number">{numberText(count)}</td>
        </tr>
      ))}
    </Table>
  )
}

function reasonText(outcome: number): string {
  return REASONS[outcome] ?? `Error ${outcome}`
}

/** A line per day, with a column for every reason. */
export function downloadLines({ days, refusals }: DownloadTotals): (string | number)[][] {
  const outcomes = [
    ...new Set([...Object.keys(REASONS).map(Number), ...refusals.map(({ outcome }) => outcome)]),
  ]
  return [
    [
      'day',
      'downloads',
      'refused',
      ...outcomes.map((outcome) => reasonText(outcome).toLowerCase().replaceAll(' ', '_')),
    ],
    ...days.map(({ day, served, refused, refusals: own }) => [
      day,
      served,
      refused,
      ...outcomes.map((outcome) => own.get(outcome) ?? 0),
    ]),
  ]
}
