import { ENGINES_MAX, TAGS_MAX, TAGS_MIN } from '../../../domain/listings/slugs.ts'
import {
  AI_USES,
  AUTHORSHIP_CREDIT_MAX,
  AUTHORSHIP_LABELS,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  GENRES_MAX,
  INPUTS,
  NETS,
  PLAYERS_LEAST,
  PLAYERS_MOST,
  SESSION_BUCKETS,
  TONES,
  TONES_MAX,
} from '../../../domain/listings/taxonomy.ts'
import { ChecksField, SelectField, TextField } from '../../kit/controls.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { INPUT_LABELS, NET_LABELS, SESSION_LABELS } from '../../kit/labels.ts'
import { fieldOf, type PageFieldsProps } from './field-sections.tsx'
import { FIELDS } from './listing-form.ts'

const plain = (values: readonly string[]) =>
  values.map((value) => [value, value.replaceAll('_', ' ')] as const)
const UNSET = ['', 'Not stated'] as const

type Choice = 'genres' | 'tone' | 'inputs' | 'content_warnings' | 'ai_uses'

function choiceOf({ listing, form }: PageFieldsProps, name: Choice) {
  return { form, name, label: FIELDS[name].label, picked: listing[name] }
}

export function TaxonomyFields(props: PageFieldsProps) {
  return (
    <FieldGroup id="taxonomy" title="Where players find it">
      <ChecksField
        {...choiceOf(props, 'genres')}
        options={plain(GENRES)}
        limit={GENRES_MAX}
        hint={`Up to ${GENRES_MAX}.`}
      />
      <TextField
        {...fieldOf(props, 'tags')}
        placeholder="cozy, lighthouse, hand-drawn"
        hint={`${TAGS_MIN} to ${TAGS_MAX} tags with commas between them; spaces become dashes.`}
      />
      <ChecksField
        {...choiceOf(props, 'tone')}
        options={plain(TONES)}
        limit={TONES_MAX}
        hint={`Up to ${TONES_MAX}.`}
      />
      <ChecksField
        {...choiceOf(props, 'content_warnings')}
        options={plain(CONTENT_WARNINGS)}
        hint="Players can leave out what they do not want to see."
      />
    </FieldGroup>
  )
}

export function PlayFields(props: PageFieldsProps) {
  return (
    <FieldGroup id="play" title="How it is played">
      <ChecksField
        {...choiceOf(props, 'inputs')}
        options={INPUTS.map((input) => [input, INPUT_LABELS[input]])}
      />
      <div class="pair">
        <SelectField
          {...fieldOf(props, 'session_bucket')}
          options={[UNSET, ...SESSION_BUCKETS.map((bucket) => [bucket, SESSION_LABELS[bucket]] as const)]}
        />
        <SelectField
          {...fieldOf(props, 'net')}
          options={[UNSET, ...NETS.map((net) => [net, NET_LABELS[net]] as const)]}
        />
      </div>
      <div class="pair">
        <TextField
          {...fieldOf(props, 'players_min')}
          inputMode="numeric"
          hint={`${PLAYERS_LEAST} to ${PLAYERS_MOST}.`}
        />
        <TextField
          {...fieldOf(props, 'players_max')}
          inputMode="numeric"
          hint={`${PLAYERS_LEAST} to ${PLAYERS_MOST}, not below the fewest.`}
        />
      </div>
      <TextField
        {...fieldOf(props, 'engines')}
        placeholder="godot"
        hint={`Up to ${ENGINES_MAX}, with commas between them.`}
      />
    </FieldGroup>
  )
}

export function AuthorFields(props: PageFieldsProps) {
  return (
    <FieldGroup
      id="authors"
      title="How it was made"
      hint="Players can filter by it; it never changes the order of results."
    >
      <div class="pair">
        <SelectField
          {...fieldOf(props, 'authorship')}
          options={[UNSET, ...AUTHORSHIPS.map((value) => [value, AUTHORSHIP_LABELS[value]] as const)]}
        />
        <TextField
          {...fieldOf(props, 'authorship_credit')}
          limit={AUTHORSHIP_CREDIT_MAX}
          hint="Plain text."
        />
      </div>
      <ChecksField {...choiceOf(props, 'ai_uses')} options={plain(AI_USES)} hint="Tick every part." />
    </FieldGroup>
  )
}
