import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { TAXONOMY } from '../../../domain/listings/fields.ts'
import { LANGUAGE_PARTS } from '../../../domain/listings/languages.ts'
import { REQUIREMENT_LEVELS, REQUIREMENT_MAX } from '../../../domain/listings/requirements.ts'
import { AreaField, TextField } from '../../kit/controls.tsx'
import { FieldGroup } from '../../kit/field-group.tsx'
import { SYSTEM_LABELS } from '../../kit/labels.ts'
import { fieldOf, type PageFieldsProps } from './field-sections.tsx'

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
