import type { VNode } from 'preact'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import type { TaxonomyField } from '../../../domain/listings/field-kinds.ts'
import { TAXONOMY, type TaxonomyName } from '../../../domain/listings/fields.ts'
import { LANGUAGE_PARTS } from '../../../domain/listings/languages.ts'
import { REQUIREMENT_LEVELS, REQUIREMENT_MAX } from '../../../domain/listings/requirements.ts'
import { AreaField, ChecksField, FieldGroup, SelectField, TextField } from '../../kit/form.tsx'
import { SYSTEM_LABELS } from '../../kit/labels.tsx'
import { fieldOf, type PageFieldsProps } from './field-sections.tsx'

const UNSET = ['', 'Not stated'] as const

interface Section {
  id: NonNullable<TaxonomyField['section']>
  title: string
  hint?: string
}

const SECTIONS: readonly Section[] = [
  { id: 'taxonomy', title: 'Where players find it' },
  { id: 'play', title: 'How it is played' },
  { id: 'access', title: 'Accessibility' },
  {
    id: 'authors',
    title: 'How it was made',
    hint: 'Players can filter by it; it never changes the order of results.',
  },
]

/** The others are laid out by hand. */
type SectionName = Exclude<TaxonomyName, 'languages' | 'requirements'>

interface SectionEntry {
  name: SectionName
  field: SectionField
}

type SectionField = Exclude<TaxonomyField, { kind: 'languages' | 'requirements' }>

const ENTRIES = Object.entries<TaxonomyField>(TAXONOMY).flatMap(([name, field]): SectionEntry[] =>
  field.kind === 'languages' || field.kind === 'requirements' ? [] : [{ name: name as SectionName, field }],
)

/** The fields of the taxonomy, by the sections that they name. */
export function TaxonomyFields(props: PageFieldsProps) {
  return (
    <>
      {SECTIONS.map((section) => (
        <FieldGroup key={section.id} {...section}>
          {toRows(ENTRIES.filter(({ field }) => field.section === section.id)).map((row) =>
            row.length === 1 ? (
              row.map((entry) => <Control key={entry.name} {...entry} page={props} />)
            ) : (
              <div class="pair">
                {row.map((entry) => (
                  <Control key={entry.name} {...entry} page={props} />
                ))}
              </div>
            ),
          )}
        </FieldGroup>
      ))}
    </>
  )
}

/** Puts narrow controls in pairs. */
function toRows(entries: readonly SectionEntry[]): SectionEntry[][] {
  const rows: SectionEntry[][] = []
  const isNarrow = ({ field }: SectionEntry) => ['choice', 'number', 'line'].includes(field.kind)
  for (const entry of entries) {
    const last = rows.at(-1)
    if (isNarrow(entry) && last?.length === 1 && last.every(isNarrow)) last.push(entry)
    else rows.push([entry])
  }
  return rows
}

function Control({ name, field, page }: SectionEntry & { page: PageFieldsProps }): VNode {
  const common = { ...fieldOf(page, name), ...given(field) }
  switch (field.kind) {
    case 'choice':
      return <SelectField {...common} options={[UNSET, ...optionsOf(field)]} />
    case 'choices': {
      const { max } = field
      const limits = max === undefined ? {} : { limit: max, hint: `Up to ${max}.` }
      const picked = page.listing[name] as readonly string[]
      return <ChecksField {...limits} {...common} picked={picked} options={optionsOf(field)} />
    }
    case 'number':
      return <TextField {...common} inputMode="numeric" />
    case 'line':
      return <TextField {...common} {...(field.max !== undefined && { limit: field.max })} />
    case 'slugs':
    default:
      return <TextField {...common} />
  }
}

/** Hint and placeholder, as far as the field has them. */
function given({ hint, placeholder }: SectionField) {
  return { ...(hint !== undefined && { hint }), ...(placeholder !== undefined && { placeholder }) }
}

function optionsOf({ values, labels = {} }: Extract<TaxonomyField, { values: unknown }>) {
  return values.map((value) => [value, labels[value] ?? value.replaceAll('_', ' ')] as const)
}

const { languages, requirements } = TAXONOMY

export function LanguageFields(props: PageFieldsProps) {
  return (
    <FieldGroup
      id="languages"
      title={languages.label}
      form={props.form}
      hint={`Tags with commas between them, such as en, de, pt-BR or zh-Hans; up to ${languages.max} languages in all. The first is the main one.`}
    >
      {LANGUAGE_PARTS.map((part) => (
        <TextField key={part} {...fieldOf(props, `languages.${part}`)} placeholder="en, de, pt-BR" />
      ))}
    </FieldGroup>
  )
}

/** Systems for which something is stated, or refused, are open. */
export function RequirementFields(props: PageFieldsProps) {
  const { listing, form } = props
  const hasFault = (os: string) => form.faults.some(({ field }) => field.startsWith(`requirements.${os}.`))
  return (
    <FieldGroup
      id="requirements"
      title={requirements.label}
      form={form}
      hint="What a player's machine needs, in plain text. Leave out the systems it has no build for."
    >
      {OPERATING_SYSTEMS.map((os) => (
        <details key={os} open={listing.requirements[os] !== undefined || hasFault(os)}>
          <summary>{SYSTEM_LABELS[os]}</summary>
          <div class="pair">
            {REQUIREMENT_LEVELS.map((level) => (
              <AreaField
                key={level}
                {...fieldOf(props, `requirements.${os}.${level}`)}
                limit={REQUIREMENT_MAX}
              />
            ))}
          </div>
        </details>
      ))}
    </FieldGroup>
  )
}
