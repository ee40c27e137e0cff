import {
  ASSET_TYPES,
  DEPENDENCIES_MAX,
  DEPENDENCY_RULES,
  LICENSE_KINDS,
  MODDING_TYPES,
  PARENT_RULES,
  PARENT_TYPES,
  STATUSES,
} from '../../../domain/listings/listing.ts'
import { INSTRUCTIONS_MAX } from '../../../domain/listings/mod-settings.ts'
import { DESCRIPTION_MIN } from '../../../features/listings/check/model.ts'
import {
  DESCRIPTION_MAX,
  type EditableListing,
  SIMILAR_TITLES_MAX,
  TAGLINE_MAX,
  VANITY_MAX,
  VANITY_MIN,
  WEBSITE_MAX,
} from '../../../features/listings/page/model.ts'
import { renderMarkdown } from '../../../lib/text/markdown.ts'
import { NAME_MAX } from '../../../lib/text/names.ts'
import { Picker } from '../../components/picker.tsx'
import { Prose } from '../../components/prose.tsx'
import type { FormState } from '../../kit/form-state.ts'
import { AreaField, Check, FieldGroup, SelectField, TextField } from '../../kit/form.tsx'
import { LICENSE_LABELS, STATUS_LABELS, TYPE_LABELS } from '../../kit/labels.tsx'
import { FORM_FIELDS, type FormFieldName } from './listing-form.ts'

export interface PageFieldsProps {
  listing: EditableListing
  form: FormState
}

/** The name, label, entries and current value of a field. */
export function fieldOf({ listing, form }: PageFieldsProps, name: FormFieldName) {
  const { label, show } = FORM_FIELDS[name]
  return { form, name, label, value: show(listing) }
}

/** Browsers do not send unticked boxes, so in a rejected form a missing value means unticked. */
function isTicked({ listing, form }: PageFieldsProps, name: 'adult' | 'indexable'): boolean {
  return form.values.size === 0 ? listing[name] : form.values.has(name)
}

export function BasicFields(props: PageFieldsProps) {
  const { listing } = props
  return (
    <FieldGroup id="basics" title="Basics">
      <TextField {...fieldOf(props, 'name')} limit={NAME_MAX} />
      <TextField
        {...fieldOf(props, 'tagline')}
        limit={TAGLINE_MAX}
        hint="One line that says what this is; shown on cards and under the name."
      />
      <div class="pair">
        <SelectField
          {...fieldOf(props, 'asset_type')}
          options={ASSET_TYPES.map((type) => [type, TYPE_LABELS[type]])}
          hint="A change to a type without a parent or mod settings clears those."
        />
        <SelectField
          {...fieldOf(props, 'status')}
          options={STATUSES.map((status) => [status, STATUS_LABELS[status]])}
        />
      </div>
      <div class="pair">
        <TextField
          {...fieldOf(props, 'vanity_name')}
          hint={`The end of /games/… in the address: ${VANITY_MIN} to ${VANITY_MAX} of a-z, 0-9 and -. Old addresses lead to the new one.`}
        />
        <TextField
          {...fieldOf(props, 'website')}
          limit={WEBSITE_MAX}
          inputMode="url"
          placeholder="https://"
          hint="An https:// address."
        />
      </div>
      <SelectField
        {...fieldOf(props, 'license_kind')}
        options={[['', 'Not stated'], ...LICENSE_KINDS.map((kind) => [kind, LICENSE_LABELS[kind]] as const)]}
        hint="Required for game and developer assets, so that others know how they may use them."
      />
      <Check
        name="indexable"
        label="Search engines may list this page"
        checked={isTicked(props, 'indexable')}
      />
      <Check
        name="adult"
        label="For adults only"
        checked={isTicked(props, 'adult')}
        hint="Left out of search, shelves and tags. Needs at least one content warning."
      />
      {listing.asset_type === 'game' ? null : (
        <p class="hint">{TYPE_NOTES[PARENT_RULES[listing.asset_type]]}</p>
      )}
    </FieldGroup>
  )
}

const TYPE_NOTES = {
  none: 'This type stands on its own; it has no parent.',
  optional: 'This type may belong to another game or application.',
  required: 'This type must belong to a game or application before it can be public.',
} as const

/** Markdown beside its preview, which the script refreshes while one types. */
export function DescriptionField(props: PageFieldsProps) {
  const field = fieldOf(props, 'description')
  const text = props.form.values.get('description') ?? field.value
  return (
    <FieldGroup id="description-group" title="Description">
      <div class="beside" data-preview-of="description">
        <AreaField
          {...field}
          label="Description (Markdown)"
          limit={DESCRIPTION_MAX}
          rows={18}
          hint={`Headings, lists, links and emphasis. The check asks for at least ${DESCRIPTION_MIN} characters.`}
        />
        <section aria-label="Preview" class="preview" tabIndex={0}>
          <p class="tab-group">Preview</p>
          <div data-preview>
            <Prose html={renderMarkdown(text)} under={2} />
          </div>
        </section>
      </div>
    </FieldGroup>
  )
}

export function RelationFields(props: PageFieldsProps) {
  const { asset_type, vanity_name } = props.listing
  const kinds = ['uses', 'supports', 'made_with'] as const
  const hints = {
    uses: 'Asset packs and plugins in it.',
    supports: 'Games and tools that a mod or plugin works with.',
    made_with: 'Tools it was made with.',
  }
  return (
    <>
      {PARENT_RULES[asset_type] === 'none' ? null : <ParentFields {...props} />}
      {MODDING_TYPES.includes(asset_type) ? <ModFields {...props} /> : null}
      <FieldGroup
        id="relations"
        title="Related listings"
        hint="Public listings of this store. An address is the end of its page's link; commas stand between several."
      >
        <Picker kind="list" max={SIMILAR_TITLES_MAX} types={['game']} self={vanity_name}>
          <TextField
            {...fieldOf(props, 'similar_titles')}
            placeholder="the-last-ferry, rain-on-things"
            hint={`Up to ${SIMILAR_TITLES_MAX} public games, the most similar first.`}
          />
        </Picker>
        {kinds.map((kind) => (
          <Picker
            key={kind}
            kind="list"
            max={DEPENDENCIES_MAX}
            types={DEPENDENCY_RULES[kind].targets}
            self={vanity_name}
          >
            <TextField {...fieldOf(props, `dependencies.${kind}`)} hint={hints[kind]} />
          </Picker>
        ))}
        <p class="hint">At most {DEPENDENCIES_MAX} in these three fields together.</p>
      </FieldGroup>
    </>
  )
}

function ParentFields(props: PageFieldsProps) {
  return (
    <FieldGroup
      id="parent"
      title="Belongs to"
      form={props.form}
      hint="Either a game or application of this store, or one elsewhere with its name and link."
    >
      <Picker kind="one" max={1} types={PARENT_TYPES} self={props.listing.vanity_name}>
        <TextField {...fieldOf(props, 'parent.game')} placeholder="the-last-ferry" />
      </Picker>
      <div class="pair">
        <TextField {...fieldOf(props, 'parent.external_name')} limit={NAME_MAX} />
        <TextField {...fieldOf(props, 'parent.external_url')} placeholder="https://" inputMode="url" />
      </div>
    </FieldGroup>
  )
}

function ModFields(props: PageFieldsProps) {
  return (
    <FieldGroup id="mod_settings" title="Installation" form={props.form}>
      <div class="pair">
        <TextField
          {...fieldOf(props, 'mod_settings.install_path')}
          placeholder="mods/"
          hint="Relative to the game's folder, without .. in it."
        />
        <TextField
          {...fieldOf(props, 'mod_settings.loader')}
          hint="The mod loader, as a word of a-z, 0-9 and -."
        />
      </div>
      <AreaField {...fieldOf(props, 'mod_settings.instructions')} limit={INSTRUCTIONS_MAX} hint="Markdown." />
    </FieldGroup>
  )
}
