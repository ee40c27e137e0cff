import { OPERATING_SYSTEMS, SYSTEM_NAMES } from '../../domain/builds/platforms.ts'
import {
  CRITERIA_MAX,
  CRITERION_NAME_MAX,
  CRITERION_TEXT_MAX,
  ENTRIES_PER_PERSON_MAX,
  GRACE_MINUTES_MAX,
  JAM_HOSTS_MAX,
  JAM_JUDGES_MAX,
  JAM_SLUG_MAX,
  JAM_TAGLINE_MAX,
  JAM_TEXT_MAX,
  JAM_THEME_MAX,
  JAM_TITLE_MAX,
  MIN_RATINGS_DEFAULT,
  MIN_RATINGS_MAX,
} from '../../domain/jams.ts'
import { ASSET_TYPES, TYPE_NAMES } from '../../domain/listings/listing.ts'
import type { OwnJam } from '../../features/jams/jams/model.ts'
import type { FormState } from '../kit/form-state.ts'
import { AreaField, Check, ChecksField, FieldGroup, SelectField, TextField } from '../kit/form.tsx'

const VISIBILITIES = [
  ['draft', 'Draft: only hosts see it'],
  ['unlisted', 'With the link'],
  ['public', 'Public'],
] as const
const ENTRIES = [
  ['open', 'Everyone'],
  ['invited', 'Those with a code'],
] as const
const VOTERS = [
  ['entrants', 'Those who entered, with their teams'],
  ['everyone', 'Everyone with an account'],
  ['judges', 'The judges'],
] as const
const TYPES = ASSET_TYPES.map((type) => [type, TYPE_NAMES[type]] as const)
const SYSTEMS = OPERATING_SYSTEMS.map((os) => [os, SYSTEM_NAMES[os]] as const)
/** Empty rows for new criteria. */
const SPARE_ROWS = 2

export interface JamFormProps {
  form: FormState
  /** Null for a new jam. */
  jam: OwnJam | null
}

const timeText = (time: string | null | undefined) => time?.slice(0, 16) ?? ''
const linesText = (people: readonly { username: string }[] | undefined) =>
  (people ?? []).map(({ username }) => username).join('\n')

/** A rejected form shows what was ticked. */
function isTicked(form: FormState, name: string, current: boolean): boolean {
  return form.values.size === 0 ? current : form.values.has(name)
}

export function TextGroup({ form, jam }: JamFormProps) {
  return (
    <FieldGroup id="about" title="About">
      <div class="jam-pair">
        <TextField
          {...{ form, name: 'title', label: 'Title', limit: JAM_TITLE_MAX, value: jam?.title ?? '' }}
          required
        />
        <TextField
          {...{ form, name: 'slug', label: 'Address', limit: JAM_SLUG_MAX, value: jam?.slug ?? '' }}
          hint="What follows /jams/: letters a to z, digits and dashes. Empty: made from the title."
        />
      </div>
      <TextField
        {...{ form, name: 'tagline', label: 'Tagline', limit: JAM_TAGLINE_MAX, value: jam?.tagline ?? '' }}
      />
      <TextArea {...{ form, jam }} />
      {jam !== null && jam.theme === null ? null : (
        <TextField
          {...{ form, name: 'theme', label: 'Theme', limit: JAM_THEME_MAX, value: jam?.theme ?? '' }}
        />
      )}
      <Check
        name="theme_hidden"
        label="Hide the theme until the start"
        checked={isTicked(form, 'theme_hidden', jam?.theme_hidden ?? false)}
        hint="Until then only hosts see it."
      />
    </FieldGroup>
  )
}

export function TextArea({ form, jam }: JamFormProps) {
  return (
    <AreaField
      {...{ form, name: 'text', label: 'Text (Markdown)', limit: JAM_TEXT_MAX, rows: 14 }}
      value={jam?.text ?? ''}
      hint="What it is about, the rules, and where people talk."
    />
  )
}

export function TimesGroup({ form, jam }: JamFormProps) {
  return (
    <FieldGroup id="times" title="Times" hint="In UTC. Visitors see them in their own time zone.">
      <div class="jam-pair">
        <TextField
          {...{ form, name: 'starts_at', label: 'Start (UTC)', type: 'datetime-local' }}
          value={timeText(jam?.starts_at)}
          required
        />
        <EndField {...{ form, jam }} />
        <VotingField {...{ form, jam }} />
        <TextField
          {...{ form, name: 'grace_minutes', label: 'Grace in minutes', inputMode: 'numeric' }}
          value={String(jam?.grace_minutes ?? 0)}
          hint={`0 to ${GRACE_MINUTES_MAX}: how long uploads may take that were running at the end.`}
        />
      </div>
    </FieldGroup>
  )
}

export function EndField({ form, jam }: JamFormProps) {
  return (
    <TextField
      {...{ form, name: 'ends_at', label: 'End (UTC)', type: 'datetime-local' }}
      value={timeText(jam?.ends_at)}
      hint="1 hour to 90 days after the start."
      required
    />
  )
}

export function VotingField({ form, jam }: JamFormProps) {
  return (
    <TextField
      {...{ form, name: 'voting_ends_at', label: 'End of the voting (UTC)', type: 'datetime-local' }}
      value={timeText(jam?.voting_ends_at)}
      hint="1 hour to 60 days after the end and the grace. Empty: entries are not ranked."
    />
  )
}

export function EnteringGroup({ form, jam }: JamFormProps) {
  return (
    <FieldGroup id="entering" title="Entering">
      <div class="jam-pair">
        <SelectField
          {...{ form, name: 'visibility', label: 'Who sees the jam', options: VISIBILITIES }}
          value={jam?.visibility ?? 'draft'}
        />
        <SelectField
          {...{ form, name: 'entry', label: 'Who can join', options: ENTRIES, value: jam?.entry ?? 'open' }}
        />
        <TextField
          {...{ form, name: 'entries_per_person', label: 'Entries per person', inputMode: 'numeric' }}
          value={String(jam?.entries_per_person ?? 1)}
          hint={`1 to ${ENTRIES_PER_PERSON_MAX}.`}
        />
      </div>
      <ChecksField
        {...{ form, name: 'types', label: 'Types', picked: jam?.types ?? [], options: TYPES }}
        hint="Nothing ticked: all."
      />
      <ChecksField
        {...{ form, name: 'platforms', label: 'Systems', picked: jam?.platforms ?? [], options: SYSTEMS }}
        hint="Nothing ticked: all."
      />
      <Check
        name="web_required"
        label="Entries must run in the browser"
        checked={isTicked(form, 'web_required', jam?.web_required ?? false)}
      />
      <Check
        name="made_during"
        label="Listings must be made after the start"
        checked={isTicked(form, 'made_during', jam?.made_during ?? false)}
      />
    </FieldGroup>
  )
}

export function VotingGroup({ form, jam }: JamFormProps) {
  return (
    <FieldGroup id="voting" title="Voting" hint="Only where the voting has an end.">
      <div class="jam-pair">
        <SelectField
          {...{ form, name: 'voters', label: 'Who votes', options: VOTERS, value: jam?.voters ?? 'entrants' }}
        />
        <TextField
          {...{ form, name: 'min_ratings', label: 'Ratings an entry needs', inputMode: 'numeric' }}
          value={String(jam?.min_ratings ?? MIN_RATINGS_DEFAULT)}
          hint={`1 to ${MIN_RATINGS_MAX}. Entries with fewer are not ranked.`}
        />
      </div>
      <Check
        name="must_play"
        label="Voters must have played"
        checked={isTicked(form, 'must_play', jam?.must_play ?? true)}
        hint="For a minute in the browser, or downloaded or installed it."
      />
      <CriteriaFields {...{ form, jam }} />
    </FieldGroup>
  )
}

/** The names of a criterion's fields. */
export const CRITERION = 'criteria.'

function CriteriaFields({ form, jam }: JamFormProps) {
  const known = jam?.criteria ?? [{ name: 'Overall', text: '', primary: true }]
  const rows = Math.min(CRITERIA_MAX, known.length + SPARE_ROWS)
  const primary = form.values.get('primary') ?? String(known.findIndex((one) => one.primary))
  return (
    <fieldset class="field" id="criteria" tabIndex={-1}>
      <legend>Criteria</legend>
      <p class="hint">
        Up to {CRITERIA_MAX}, each rated with 1 to 5 stars. Save to get more rows; an empty name leaves a row
        out.
      </p>
      {Array.from({ length: rows }, (_, row) => (
        <div key={row} class="jam-criterion">
          <TextField
            {...{ form, name: `${CRITERION}${row}.name`, label: `Name of criterion ${row + 1}` }}
            value={known[row]?.name ?? ''}
            maxLength={CRITERION_NAME_MAX}
          />
          <TextField
            {...{ form, name: `${CRITERION}${row}.text`, label: 'What to look at' }}
            value={known[row]?.text ?? ''}
            maxLength={CRITERION_TEXT_MAX}
          />
          <label class="check">
            <input type="radio" name="primary" value={String(row)} checked={primary === String(row)} />
            Decides the rank
            <span class="visually-hidden"> (criterion {row + 1})</span>
          </label>
        </div>
      ))}
      <label class="check">
        <input type="radio" name="primary" value="-1" checked={primary === '-1'} />
        All count alike
      </label>
    </fieldset>
  )
}

export function PeopleGroup({ form, jam }: JamFormProps) {
  return (
    <FieldGroup id="people" title="People" hint="By username, one a line.">
      <div class="jam-pair">
        <AreaField
          {...{ form, name: 'hosts', label: 'Hosts', rows: 3, value: linesText(jam?.hosts) }}
          hint={
            jam === null
              ? `You are one. Up to ${JAM_HOSTS_MAX}: they can do all that you can.`
              : `Up to ${JAM_HOSTS_MAX}: they can do all that you can. The last one cannot leave.`
          }
        />
        <AreaField
          {...{ form, name: 'judges', label: 'Judges', rows: 3, value: linesText(jam?.judges) }}
          hint={`Up to ${JAM_JUDGES_MAX}.`}
        />
      </div>
    </FieldGroup>
  )
}
