import type { ComponentChildren } from 'preact'

import { countCharacters } from '../../lib/text/characters.ts'
import type { FormState } from './form-state.ts'
import { numberText } from './labels.ts'

interface FieldProps {
  form: FormState
  name: string
  label: string
  hint?: ComponentChildren
  /** Keeps ids unique when a page has several forms. */
  scope?: string
}

interface TextProps extends FieldProps {
  /** The initial value. */
  value?: string
  /** The most characters allowed; shown with the count. */
  limit?: number
  placeholder?: string
  rows?: number
  list?: string
  inputMode?: 'numeric' | 'decimal' | 'url' | 'email'
  disabled?: boolean
}

/** One line of text. */
export function TextField({ rows: _, value = '', limit, placeholder, list, inputMode, ...field }: TextProps) {
  const current = field.form.values.get(field.name) ?? value
  return (
    <Shell {...field} count={limit === undefined ? null : { text: current, limit }}>
      {(attributes) => (
        <input
          class="input"
          type="text"
          value={current}
          autoComplete="off"
          {...{ ...attributes, placeholder, list, inputMode }}
          data-limit={limit}
        />
      )}
    </Shell>
  )
}

/** Several lines of text. */
export function AreaField({ rows = 4, value = '', limit, placeholder, ...field }: TextProps) {
  const current = field.form.values.get(field.name) ?? value
  return (
    <Shell {...field} count={limit === undefined ? null : { text: current, limit }}>
      {(attributes) => (
        <textarea class="input" {...{ ...attributes, rows, placeholder }} data-limit={limit}>
          {current}
        </textarea>
      )}
    </Shell>
  )
}

interface SelectProps extends FieldProps {
  value: string
  options: readonly (readonly [value: string, label: string])[]
}

export function SelectField({ value, options, ...field }: SelectProps) {
  const current = field.form.values.get(field.name) ?? value
  return (
    <Shell {...field} count={null}>
      {(attributes) => (
        <select class="input" {...attributes}>
          {options.map(([option, label]) => (
            <option key={option} value={option} selected={option === current}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Shell>
  )
}

interface Attributes {
  id: string
  name: string
  'aria-invalid': 'true' | undefined
  'aria-describedby': string | undefined
}

interface ShellProps extends FieldProps {
  count: { text: string; limit: number } | null
  children: (attributes: Attributes) => ComponentChildren
}

/** Label, hint, count and fault around a control. */
function Shell({ form, name, label, hint, scope, count, children }: ShellProps) {
  const id = scope === undefined ? name : `${scope}-${name}`
  const fault = form.faults.find(({ field }) => field === name)
  const described = [fault && `${id}-fault`, hint !== undefined && `${id}-hint`, count && `${id}-count`]
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name,
        'aria-invalid': fault ? 'true' : undefined,
        'aria-describedby': described.filter(Boolean).join(' ') || undefined,
      })}
      {fault ? (
        <p class="fault" id={`${id}-fault`}>
          {fault.message}
        </p>
      ) : null}
      {hint === undefined && count === null ? null : (
        <div class="below">
          {hint === undefined ? null : (
            <p class="hint" id={`${id}-hint`}>
              {hint}
            </p>
          )}
          {count === null ? null : (
            <p class="hint count" id={`${id}-count`}>
              {`${numberText(countCharacters(count.text))} of ${numberText(count.limit)} characters`}
            </p>
          )}
        </div>
      )}
    </div>
  )
}

interface ChecksProps extends FieldProps {
  picked: readonly string[]
  options: readonly (readonly [value: string, label: string])[]
  /** The most values allowed. */
  limit?: number
}

/** Checkboxes of one field. A rejected form shows what was ticked, even if that was nothing. */
export function ChecksField({ form, name, label, hint, scope, picked, options, limit }: ChecksProps) {
  const id = scope === undefined ? name : `${scope}-${name}`
  const fault = form.faults.find(({ field }) => field === name)
  const ticked = form.values.size === 0 ? picked : form.values.getAll(name)
  const described = [fault && `${id}-fault`, hint !== undefined && `${id}-hint`].filter(Boolean).join(' ')
  return (
    <fieldset class="field" id={id} tabIndex={-1} aria-describedby={described || undefined} data-most={limit}>
      <legend>{label}</legend>
      {fault ? (
        <p class="fault" id={`${id}-fault`}>
          {fault.message}
        </p>
      ) : null}
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      <div class="checks">
        {options.map(([value, text]) => (
          <label key={value} class="check">
            <input type="checkbox" name={name} value={value} checked={ticked.includes(value)} />
            {text}
          </label>
        ))}
      </div>
      {limit === undefined ? null : (
        <p class="hint count" id={`${id}-count`}>
          {ticked.length} of {limit} chosen
        </p>
      )}
    </fieldset>
  )
}
