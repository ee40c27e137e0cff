import { JAM_PRIZES_MAX } from '../../../domain/jams.ts'
import { jamPath } from '../../../domain/site-urls.ts'
import type { HostEntry } from '../../../features/jams/results/hosting.ts'
import type { ResultsState } from '../../../features/jams/results/model.ts'
import type { Paged } from '../../../lib/paging.ts'
import { plural } from '../../../lib/text/show.ts'
import { Pager } from '../../components/lists.tsx'
import { EMPTY_FORM, showLines } from '../../kit/form-state.ts'
import { AreaField, FaultSummary, FieldGroup, PostForm, Submit, TextField } from '../../kit/form.tsx'
import { Badge, Moment } from '../../kit/labels.tsx'
import { formOf, type PageState } from '../../kit/pages.ts'
import type { JamProps, ShownJam } from '../jam-frame.tsx'
import { ManageFrame } from '../manage-frame.tsx'

const NOTICES = {
  hold: 'The results are held back until you publish them.',
  publish: 'The results are out, or come out when the voting ends.',
  recount: 'The results were computed again.',
  disqualified: 'The entry is disqualified; everyone reads the reason.',
  readmitted: 'The entry is ranked again.',
  awarded: 'The prizes are saved.',
}

interface HostResultsProps extends JamProps {
  results: ResultsState
  entries: Paged<HostEntry>
}

/** Where hosts publish results, disqualify entries and give prizes. */
export function HostResultsPage({ state, shown, results, entries }: HostResultsProps) {
  const { visit, query, refused } = state
  const base = `${jamPath(shown.jam.slug, 'manage')}/results`
  return (
    <ManageFrame {...{ visit, shown, section: 'Results', notices: NOTICES }}>
      <FaultSummary form={refused?.form} />
      <FieldGroup id="state" title="Publication">
        <Publication {...{ shown, results, base }} />
      </FieldGroup>
      <h2>Entries</h2>
      <search>
        <form class="jam-filters" method="get" action={base}>
          <TextField
            {...{ form: EMPTY_FORM, name: 'q', label: 'Name', type: 'search', value: query.q ?? '' }}
          />
          <Submit look="second">Find</Submit>
        </form>
      </search>
      {entries.items.length === 0 ? <p class="quiet">No entries here.</p> : null}
      <ul class="records panel">
        {entries.items.map((entry) => (
          <li key={entry.uid}>
            <HostedEntry {...{ state, entry, base }} />
          </li>
        ))}
      </ul>
      <Pager {...entries} url={visit.url} />
    </ManageFrame>
  )
}

interface PublicationProps {
  shown: ShownJam
  results: ResultsState
  base: string
}

function Publication({ shown, results: { held, computed_at, published_at }, base }: PublicationProps) {
  if (shown.jam.voting_ends_at === null) return <p>This jam is not ranked.</p>
  const act = (name: string, label: string, look: string) => (
    <Submit look={look} name="act" value={name}>
      {label}
    </Submit>
  )
  return (
    <>
      <p>
        {published_at === null ? (
          held ? (
            'You hold the results back.'
          ) : (
            'The results come out by themselves when the voting ends.'
          )
        ) : (
          <>
            The results are out since <Moment at={published_at} />.
          </>
        )}{' '}
        {computed_at === null ? null : (
          <>
            <a href={jamPath(shown.jam.slug, 'results')}>See them</a>
          </>
        )}
      </p>
      <PostForm action={base} class="row">
        {published_at === null && held
          ? act('publish', computed_at === null ? 'Do not hold back' : 'Publish results', '')
          : null}
        {published_at === null && !held ? act('hold', 'Hold the results back', 'second') : null}
        {computed_at === null ? null : act('recount', 'Recount', 'second')}
      </PostForm>
      {computed_at === null ? null : (
        <p class="quiet small">Recount computes the results again from the votes that count.</p>
      )}
    </>
  )
}

function HostedEntry({ state, entry, base }: { state: PageState; entry: HostEntry; base: string }) {
  const { uid, name, received, rank, disqualified, prizes } = entry
  const sent = (form: string) => (state.params.game === uid ? formOf(state, form) : EMPTY_FORM)
  const [award, disqualify] = [sent('prizes'), sent('disqualify')]
  return (
    <>
      <div>
        <strong dir="auto">{name}</strong>{' '}
        {disqualified === null ? null : <Badge tone="bad">Disqualified</Badge>}
        <p class="quiet small">
          {plural(received, 'rating')}
          {rank === null ? '' : `, rank ${rank}`}
          {disqualified === null ? null : (
            <>
              , <bdi>{disqualified}</bdi>
            </>
          )}
        </p>
      </div>
      <details class="jam-host-forms" open={award.faults.length + disqualify.faults.length > 0}>
        <summary>
          Prizes and disqualification<span class="visually-hidden"> of {name}</span>
        </summary>
        <PostForm action={`${base}/${uid}/prizes`} class="">
          <AreaField
            {...{ form: award, scope: uid, name: 'prizes', label: 'Prizes', rows: 2 }}
            value={showLines(prizes, ['title', 'text'])}
            hint={`One a line, up to ${JAM_PRIZES_MAX}: title | what it is`}
          />
          <Submit look="second">Save prizes</Submit>
        </PostForm>
        <PostForm action={`${base}/${uid}/disqualify`} class="">
          <TextField
            {...{ form: disqualify, scope: uid, name: 'reason', label: 'Reason, which everyone reads' }}
          />
          {disqualified === null ? (
            <Submit look="danger" name="act" value="disqualify">
              Disqualify
            </Submit>
          ) : (
            <Submit look="second" name="act" value="readmit">
              Rank it again
            </Submit>
          )}
        </PostForm>
      </details>
    </>
  )
}
