import type { ComponentChildren } from 'preact'

import { countCharacters } from '../../lib/text/characters.ts'
import { type Attributes, Field, type FieldProps, FieldSet, idOf } from './field.tsx'
import { numberText } from './labels.ts'

interface TextProps extends FieldProps {
  /** The initial value. */
  value?: string
  /** The most characters allowed; shown with the count. */
  limit?: number
  placeholder?: string
  maxLength?: number
  required?: boolean
}

interface LineProps extends TextProps {
  type?: 'text' | 'email' | 'password' | 'search' | 'color' | 'datetime-local'
  autoComplete?: string
  list?: string
  inputMode?: 'numeric' | 'decimal' | 'url' | 'email'
}

/** One line of text. A rejected form shows the entered value again, except for passwords. */
export function TextField(props: LineProps) {
  const { type = 'text', autoComplete = 'off', list, inputMode, ...text } = props
  return (
    <Text {...text}>
      {({ value, ...rest }) => {
        const attributes = { ...rest, class: 'input', autoComplete }
        if (type === 'password') return <input type="password" {...attributes} />
        return <input {...{ type, value, list, inputMode, ...attributes }} />
      }}
    </Text>
  )
}

/** Several lines of text. */
export function AreaField({ rows = 4, ...text }: TextProps & { rows?: number }) {
  return (
    <Text {...text}>
      {({ value, ...attributes }) => (
        <textarea {...{ class: 'input', rows, ...attributes }}>{value}</textarea>
      )}
    </Text>
  )
}

interface TextAttributes extends Attributes, Pick<TextProps, 'placeholder' | 'maxLength' | 'required'> {
  value: string
  'data-limit': number | undefined
}

interface TextShellProps extends TextProps {
  children: (attributes: TextAttributes) => ComponentChildren
}

function Text({
  form,
  name,
  label,
  hint,
  scope,
  value: initial = '',
  limit,
  children,
  ...own
}: TextShellProps) {
  const value = form.values.get(name) ?? initial
  const count = limit && `${numberText(countCharacters(value))} of ${numberText(limit)} characters`
  return (
    <Field {...{ form, name, label, hint, scope }} count={count || undefined}>
      {(attributes) => children({ ...attributes, ...own, value, 'data-limit': limit })}
    </Field>
  )
}

type Options = readonly (readonly [value: string, label: string])[]

interface SelectProps extends FieldProps {
  value: string
  options: Options
  required?: boolean
}

export function SelectField({ value, options, required, ...field }: SelectProps) {
  const current = field.form.values.get(field.name) ?? value
  return (
    <Field {...field}>
      {(attributes) => (
        <select class="input" required={required} {...attributes}>
          {options.map(([option, label]) => (
            <option key={option} value={option} selected={option === current}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  )
}

/** A file input. Browsers do not let a page fill it in again after a rejected form. */
export function FileField({ accept, ...field }: FieldProps & { accept: string }) {
  return (
    <Field {...field}>
      {(attributes) => <input class="input" type="file" accept={accept} {...attributes} />}
    </Field>
  )
}

interface ChecksProps extends FieldProps {
  picked: readonly string[]
  options: Options
  limit?: number
}

/** Checkboxes of one field. A rejected form shows what was ticked, even if that was nothing. */
export function ChecksField({ picked, options, limit, ...field }: ChecksProps) {
  const { form, name } = field
  const ticked = form.values.size === 0 ? picked : form.values.getAll(name)
  const count = limit === undefined ? undefined : `${ticked.length} of ${limit} chosen`
  return (
    <FieldSet {...field} limit={limit} count={count}>
      <div class="checks">
        {options.map(([value, text]) => (
          <label key={value} class="check">
            <input type="checkbox" name={name} value={value} checked={ticked.includes(value)} />
            {text}
          </label>
        ))}
      </div>
    </FieldSet>
  )
}

interface CheckProps {
  name: string
  label: string
  value?: string
  checked: boolean
  hint?: string
  scope?: string
}

/** One box. */
export function Check({ name, label, value = 'true', checked, hint, scope }: CheckProps) {
  const id = `${idOf(name, scope)}${value === 'true' ? '' : `-${value.replaceAll(/\W/g, '-')}`}`
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        name={name}
        value={value}
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      <div>
        <label for={id}>{label}</label>
        {hint && (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}
