import { NOTE_MAX } from '../../../domain/jams.ts'
import { entryPath, jamPath } from '../../../domain/site-urls.ts'
import type { Approval } from '../../../features/agents/approvals.ts'
import type { EntryState } from '../../../features/jams/entries/model.ts'
import { Missing } from '../../jams/entries/enter-page.tsx'
import { Countdown, spanText, ZonedMoment } from '../../jams/times.tsx'
import { EMPTY_FORM } from '../../kit/form-state.ts'
import { AreaField, FaultSummary, PostForm, Submit } from '../../kit/form.tsx'
import { Badge, SYSTEM_LABELS } from '../../kit/labels.tsx'
import { formOf } from '../../kit/pages.ts'
import { Approvals } from '../channels/approvals.tsx'
import { StudioPage, type TabProps } from '../frame/studio-frame.tsx'

const NOTICES = {
  entered: 'It is entered. You can change the note and withdraw it until the jam ends.',
  saved: 'The note is saved.',
  withdrawn: 'It is withdrawn from the jam.',
  approve: 'It is entered into the jam.',
  reject: 'It is not entered.',
}

interface JamsTabProps extends TabProps {
  states: readonly EntryState[]
  /** The clock of the database. */
  now: Date
  approvals: readonly Approval[]
}

/** The jams that a listing is in, and those it could be entered into. */
export function JamsTab({ project, state, states, now, approvals }: JamsTabProps) {
  const { visit, refused } = state
  const [inside, open] = [states.filter(({ entered }) => entered), states.filter(({ entered }) => !entered)]
  return (
    <StudioPage
      {...{ visit, project }}
      tab="jams"
      lead="Enter it into a jam. At the end the clean stable builds become the version that people play there, while you go on releasing."
      notices={NOTICES}
      scripts={['studio', 'jam']}
    >
      <FaultSummary form={refused?.form} />
      <Approvals {...{ project, approvals }} tab="jams" />
      {inside.length === 0 ? null : (
        <section class="stack" aria-labelledby="inside">
          <h2 id="inside">It is in</h2>
          {inside.map((entry) => (
            <JamPart key={entry.jam.uid} {...{ project, state, entry, now }} />
          ))}
        </section>
      )}
      <section class="stack" aria-labelledby="open">
        <h2 id="open">Jams that take entries</h2>
        {open.length === 0 ? (
          <p class="quiet">
            None at the moment. <a href="/jams">All jams</a>
          </p>
        ) : null}
        {open.map((entry) => (
          <JamPart key={entry.jam.uid} {...{ project, state, entry, now }} />
        ))}
      </section>
    </StudioPage>
  )
}

interface PartProps extends TabProps {
  entry: EntryState
  now: Date
}

function JamPart({ project, state, entry, now }: PartProps) {
  const { jam, entered, missing, open } = entry
  const { vanity_name } = project.listing
  const id = `jam-${jam.slug}`
  return (
    <section class="panel stack" aria-labelledby={id}>
      <h3 id={id}>
        <a href={jamPath(jam.slug)} dir="auto">
          {jam.title}
        </a>
      </h3>
      <When {...{ entry, now }} />
      {entered ? <Entered {...{ entry, vanityName: vanity_name }} /> : null}
      {missing.length === 0 || !(open || !entered) ? null : (
        <div>
          <p>
            {entered
              ? 'Something is missing again. Add it before the jam ends:'
              : 'Add this, then it can be entered:'}
          </p>
          <Missing {...{ missing, vanityName: vanity_name }} />
        </div>
      )}
      {open && (entered || missing.length === 0) ? <EntryForm {...{ project, state, entry }} /> : null}
      {entered ? <Withdraw {...{ entry, vanityName: vanity_name }} /> : null}
    </section>
  )
}

/** When it opens or closes, with the time that is left. */
function When({ entry: { open, opens_at, closes_at }, now }: Pick<PartProps, 'entry' | 'now'>) {
  const isComing = Date.parse(opens_at) > now.getTime()
  if (!open && !isComing) {
    return (
      <p class="quiet">
        Ended <ZonedMoment at={closes_at} />
      </p>
    )
  }
  const at = isComing ? opens_at : closes_at
  return (
    <p>
      {isComing ? 'Takes entries from' : 'Takes entries until'} <ZonedMoment at={at} />
      <Countdown at={at} now={now.getTime()}>
        , in {spanText(Date.parse(at) - now.getTime())}
      </Countdown>
    </p>
  )
}

function Entered({ entry, vanityName }: { entry: EntryState; vanityName: string }) {
  const { jam, late, disqualified, files, pinned_at } = entry
  return (
    <>
      <p class="row">
        <Badge tone="good">Entered</Badge>
        {late ? <Badge tone="none">Late</Badge> : null}
        {disqualified === null ? null : <Badge tone="bad">Disqualified</Badge>}
        <a href={entryPath(jam.slug, vanityName)}>See the entry</a>
      </p>
      {disqualified === null ? null : <p dir="auto">{disqualified}</p>}
      {pinned_at === null ? null : (
        <p class="small">
          {files.length === 0
            ? 'It had no clean stable build at the end, so nobody can play it in the jam.'
            : `The version of the jam: ${files.map(({ version, os }) => `${version} for ${SYSTEM_LABELS[os]}`).join(', ')}.`}
        </p>
      )}
    </>
  )
}

function EntryForm({ project, state, entry }: Omit<PartProps, 'now'>) {
  const { jam, entered, note } = entry
  const form = state.params.jam_uid === jam.uid ? formOf(state, 'entry') : EMPTY_FORM
  return (
    <PostForm action={`/studio/${project.listing.vanity_name}/jams/${jam.uid}`}>
      <AreaField
        {...{ form, name: 'note', label: 'Note for voters', scope: jam.uid, value: note, limit: NOTE_MAX }}
        hint="What they should know before they play, such as the controls."
      />
      <Submit>
        {entered ? 'Save the note' : 'Enter it'}
        <span class="visually-hidden"> ({jam.title})</span>
      </Submit>
    </PostForm>
  )
}

function Withdraw({ entry: { jam, open }, vanityName }: { entry: EntryState; vanityName: string }) {
  return (
    <details>
      <summary>
        {open ? 'Withdraw it' : 'Take it out'}
        <span class="visually-hidden"> of {jam.title}</span>
      </summary>
      <PostForm action={`/studio/${vanityName}/jams/${jam.uid}/withdraw`} class="stack">
        <p class="small">
          {open
            ? 'You can enter it again until the jam ends.'
            : 'It cannot be entered again. People can no longer play or rate it there, and its builds can be deleted.'}
        </p>
        <Submit look="second">{open ? 'Withdraw it' : 'Take it out for good'}</Submit>
      </PostForm>
    </details>
  )
}
