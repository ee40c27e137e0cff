import { HealthBadge, ScanBadge } from '../../components/badge.tsx'
import { Table } from '../../components/table.tsx'
import { isMain, otherAppText } from '../../kit/apps.ts'
import { Day } from '../../kit/dates.tsx'
import { PostForm, Submit } from '../../kit/form.tsx'
import { countText, SYSTEM_LABELS } from '../../kit/labels.ts'
import { engineOf, scanOf } from '../builds/scan.tsx'
import type { Project } from '../frame/project.ts'
import type { Board as BoardData, BoardRow, Cell } from './board-data.ts'

/** Platforms by channels: what players get, and how it fares. */
export function Board({ project, board }: { project: Project; board: BoardData }) {
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
              {isMain(row) ? null : <p class="quiet small">{row.app_name}</p>}
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
