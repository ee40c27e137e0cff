import { CHANNEL_MAX } from '../../../domain/builds/channels.ts'
import type { Approval } from '../../../features/agents/approvals.ts'
import type { Move } from '../../../features/builds/channels/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { Empty, Pager, Table } from '../../components/lists.tsx'
import { FaultSummary, PostForm, SelectField, Submit, TextField } from '../../kit/form.tsx'
import { Day, isMain, otherAppText, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'
import { Approvals } from './approvals.tsx'
import { Board, type Board as BoardData } from './board.tsx'

const NOTICES: Readonly<Record<string, string>> = {
  promoted: 'The channel points at the chosen build now.',
  'rolled-back': 'The channel is back at the build before.',
  approve: 'Approved: stable points at the build now.',
  reject: 'Rejected: nothing changed.',
}

const MOVE_LABELS: Readonly<Record<Move['kind'], string>> = {
  upload: 'Upload',
  promote: 'Promoted',
  rollback: 'Rolled back',
  fallback: 'Build deleted',
}

interface ChannelsProps extends TabProps {
  board: BoardData
  moves: Paged<Move>
  approvals: readonly Approval[]
}

export function ChannelsPage({ project, state, board, moves, approvals }: ChannelsProps) {
  const { visit, refused } = state
  return (
    <StudioPage
      {...{ visit, project }}
      tab="channels"
      lead="stable is for all players, beta for those who joined it; dev and any other channel only for the team. A clean upload moves its channel by itself if it is newer."
      notices={NOTICES}
    >
      {refused === undefined ? null : <FaultSummary form={refused.form} scope="promote" />}
      <Approvals {...{ project, approvals }} tab="channels" />
      {board.rows.length === 0 ? (
        <Empty title="No build yet" link={[`/studio/${project.listing.vanity_name}/builds`, 'To the builds']}>
          Upload a build, and its channel shows here which version players get.
        </Empty>
      ) : (
        <>
          <Board {...{ project, board }} />
          <PromoteForm {...{ project, state, board }} />
        </>
      )}
      <History moves={moves} url={visit.url} />
    </StudioPage>
  )
}

function PromoteForm({ project, state, board }: Pick<ChannelsProps, 'project' | 'state' | 'board'>) {
  const form = formOf(state, 'promote')
  const ready = board.rows.flatMap((row) => row.ready)
  return (
    <section class="panel stack" aria-labelledby="promote-heading">
      <h2 id="promote-heading">Promote any clean build</h2>
      {ready.length === 0 ? (
        <p class="quiet">
          A build can be promoted once it has a file and all its files are scanned and clean.
        </p>
      ) : (
        <PostForm action={`/studio/${project.listing.vanity_name}/channels/promote`}>
          <div class="pair">
            <SelectField
              form={form}
              scope="promote"
              name="build_id"
              label="Build"
              value=""
              options={ready.map((build) => [
                build.build_id,
                `${build.version}, ${SYSTEM_LABELS[build.os]} ${build.arch}${otherAppText(build, ', ')}`,
              ])}
            />
            <TextField
              form={form}
              scope="promote"
              name="channel"
              label="Channel"
              value="stable"
              list="channels"
              hint={`stable, beta, dev or your own: up to ${CHANNEL_MAX} of a-z, 0-9, - and _.`}
            />
          </div>
          <datalist id="channels">
            {board.channels.map((channel) => (
              <option key={channel} value={channel} />
            ))}
          </datalist>
          <Submit>Promote</Submit>
        </PostForm>
      )}
    </section>
  )
}

function History({ moves, url }: { moves: Paged<Move>; url: URL }) {
  if (moves.total === 0) return null
  return (
    <section class="panel stack" aria-labelledby="history-heading">
      <h2 id="history-heading">Every move</h2>
      <Table
        label="Every move of a channel"
        columns={['When', 'Channel', 'Platform', 'From', 'To', 'How', 'By']}
      >
        {moves.items.map(
          ({ uid, moved_at, channel, os, arch, from_version, to_version, kind, moved_by, ...app }) => (
            <tr key={uid}>
              <td>
                <Day at={moved_at} />
              </td>
              <td>{channel}</td>
              <td>
                {SYSTEM_LABELS[os]} {arch}
                {isMain(app) ? null : (
                  <p class="quiet small" dir="auto">
                    {app.app_name}
                  </p>
                )}
              </td>
              <td>{from_version ?? '–'}</td>
              <td>{to_version}</td>
              <td>{MOVE_LABELS[kind]}</td>
              <td>{moved_by}</td>
            </tr>
          ),
        )}
      </Table>
      <Pager {...moves} url={url} />
    </section>
  )
}
