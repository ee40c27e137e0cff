import type { VoteFault } from '../../../domain/jams.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import type { Vote } from '../../../features/jams/votes/model.ts'
import type { VoteCounts } from '../../../features/jams/votes/service.ts'
import type { Paged } from '../../../lib/paging.ts'
import { formatNumber, plural } from '../../../lib/text/show.ts'
import { Pager } from '../../components/lists.tsx'
import { EMPTY_FORM } from '../../kit/form-state.ts'
import { FaultSummary, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, Moment } from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { JamProps } from '../jam-frame.tsx'
import { ManageFrame } from '../manage-frame.tsx'
import { Scores } from './rate-page.tsx'

const NOTICES = { voided: 'The vote no longer counts.', restored: 'The vote counts.' }

const FAULT_TEXTS: Readonly<Record<VoteFault, string>> = {
  one_team: 'rated only entries of one team',
  too_young: 'account too new',
  burst: 'many new accounts of one network at once',
  voided: 'voided by a host',
}

interface VotesPageProps extends JamProps {
  votes: Paged<Vote>
  counts: VoteCounts
}

/** Every vote, with why it does not count, for hosts. */
export function VotesPage({ state, shown, votes, counts }: VotesPageProps) {
  const { visit, query, refused } = state
  const base = `${jamPath(shown.jam.slug, 'manage')}/votes`
  return (
    <ManageFrame {...{ visit, shown, section: 'Votes', notices: NOTICES }}>
      <FaultSummary form={refused?.form} />
      <p>
        {plural(counts.total, 'vote')}, {formatNumber(counts.counted)} of them count.{' '}
        {counts.faults.map(([fault, count], index) => (
          <span key={fault}>
            {index === 0 ? '' : ', '}
            {formatNumber(count)} {FAULT_TEXTS[fault]}
          </span>
        ))}
      </p>
      <p class="small">
        <a href={`${jamPath(shown.jam.slug, 'manage')}/votes.csv`} download>
          Download all votes without names (CSV)
        </a>
      </p>
      <search>
        <form class="jam-filters" method="get" action={base}>
          <TextField
            {...{
              form: EMPTY_FORM,
              scope: 'find',
              name: 'voter',
              label: 'Username',
              value: query.voter ?? '',
            }}
          />
          <TextField
            {...{ form: EMPTY_FORM, scope: 'find', name: 'game', label: 'Address of the entry' }}
            value={query.game ?? ''}
          />
          <label class="check">
            <input type="checkbox" name="show" value="uncounted" checked={query.show === 'uncounted'} />
            Only those that do not count
          </label>
          <Submit look="second">Show</Submit>
        </form>
      </search>
      {votes.items.length === 0 ? <p class="quiet">No votes here.</p> : null}
      <ul class="records panel">
        {votes.items.map((vote) => (
          <li key={vote.uid}>
            <VoteEntry {...{ state, vote, base }} />
          </li>
        ))}
      </ul>
      <Pager {...votes} url={visit.url} />
    </ManageFrame>
  )
}

function VoteEntry({ state, vote, base }: { state: PageState; vote: Vote; base: string }) {
  const { uid, voter, game, scores, comment, counts, fault, decision, reason, updated_at } = vote
  const name = voter ?? 'A deleted account'
  const form = state.params.vote === uid ? formOf(state, 'vote') : EMPTY_FORM
  return (
    <>
      <div>
        <strong>{name}</strong> for <bdi>{game.name}</bdi>{' '}
        {counts ? (
          <Badge tone="good">counts</Badge>
        ) : (
          <Badge tone="bad">{fault === null ? 'does not count' : FAULT_TEXTS[fault]}</Badge>
        )}
        <Scores scores={scores} />
        {comment === '' ? null : (
          <p class="as-typed quiet" dir="auto">
            {comment}
          </p>
        )}
        <p class="quiet small">
          <Moment at={updated_at} />
          {decision === null ? null : (
            <>
              , {decision} by a host: <bdi>{reason}</bdi>
            </>
          )}
        </p>
      </div>
      <details class="jam-host-forms" open={form.faults.length > 0}>
        <summary>
          {counts ? 'Void' : 'Restore'}
          <span class="visually-hidden"> the vote of {name}</span>
        </summary>
        <PostForm action={`${base}/${uid}/${counts ? 'void' : 'restore'}`} class="">
          <TextField {...{ form, scope: uid, name: 'reason', label: 'Reason' }} required />
          <Submit look="second">{counts ? 'Void the vote' : 'Let it count'}</Submit>
        </PostForm>
      </details>
    </>
  )
}
