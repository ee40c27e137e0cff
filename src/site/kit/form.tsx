import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'

import { countCharacters } from '../../lib/text/characters.ts'
import type { FormState } from './form-state.ts'
import { numberText } from './labels.tsx'
import { InSection, Message, useFormMessage, useSection } from './outcome.tsx'

/** Lists all faults of a rejected form, each linked to its field; shown at that form. */
export function FaultSummary({ form, scope }: { form: FormState | undefined; scope?: string | undefined }) {
  if (form === undefined || form.faults.length === 0) return null
  return (
    <Message class="notice bad faults" role="alert">
      <ul>
        {form.faults.map(({ field, message }) => (
          <li key={field + message}>
            {field === '' ? message : <a href={`#${idOf(field, scope)}`}>{message}</a>}
          </li>
        ))}
      </ul>
    </Message>
  )
}

interface PostFormProps {
  action: string
  children: ComponentChildren
  class?: string
  encType?: 'multipart/form-data'
}

/** A POST form. Its result is shown at its section, or at the form itself outside of sections. */
export function PostForm({ action, children, class: name = 'form', encType }: PostFormProps) {
  const message = useFormMessage(action, name.split(' ').includes('form'))
  return (
    <form class={name} method="post" action={action} encType={encType} noValidate>
      {message}
      {children}
    </form>
  )
}

interface SubmitProps extends Omit<ButtonHTMLAttributes, 'type' | 'class'> {
  /** How it differs from the main button of its form. */
  look?: string
}

export function Submit({ look, children, ...rest }: SubmitProps) {
  return (
    <button type="submit" class={look ? `button ${look}` : 'button'} {...rest}>
      {children}
    </button>
  )
}

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

interface FieldGroupProps {
  id: string
  title: string
  hint?: string
  /** Only needed if a fault can be about the whole group. */
  form?: FormState
  children: ComponentChildren
}

/** Fields that belong together, under a heading that links can lead to. */
export function FieldGroup({ id, title, hint, form, children }: FieldGroupProps) {
  const section = useSection(id)
  const fault = form?.faults.find(({ field }) => field === id)
  return (
    <section class="panel field-group" id={section.id} aria-labelledby={`${id}-heading`} tabIndex={-1}>
      <h2 id={`${id}-heading`}>{title}</h2>
      {hint === undefined ? null : <p class="quiet small">{hint}</p>}
      {fault === undefined ? null : (
        <p class="fault" id={`${id}-fault`}>
          {fault.message}
        </p>
      )}
      {section.message}
      <InSection id={id}>{children}</InSection>
    </section>
  )
}

interface FieldProps {
  form: FormState
  name: string
  label: ComponentChildren
  hint?: ComponentChildren
  /** Keeps ids unique when a page has several forms. */
  scope?: string
}

interface Attributes {
  id: string
  name: string
  'aria-invalid': 'true' | undefined
  'aria-describedby': string | undefined
}

interface ShellProps extends FieldProps {
  /** How much of the limit is used. */
  count?: string | undefined
  children: (attributes: Attributes) => ComponentChildren
}

/** Label, fault, hint and count around any control. */
export function Field({ label, children, ...field }: ShellProps) {
  const { id, fault, hint, count, describedBy } = partsOf(field)
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        name: field.name,
        'aria-invalid': fault ? 'true' : undefined,
        'aria-describedby': describedBy,
      })}
      {fault}
      {hint || count ? (
        <div class="below">
          {hint}
          {count}
        </div>
      ) : null}
    </div>
  )
}

interface FieldSetProps extends FieldProps {
  count?: string | undefined
  /** The most values allowed. */
  limit?: number | undefined
  children: ComponentChildren
}

/** Several boxes or buttons of one field. */
export function FieldSet({ label, limit, children, ...field }: FieldSetProps) {
  const { id, fault, hint, count, describedBy } = partsOf(field)
  return (
    <fieldset class="field" id={id} tabIndex={-1} aria-describedby={describedBy} data-most={limit}>
      <legend>{label}</legend>
      {fault}
      {hint}
      {children}
      {count}
    </fieldset>
  )
}

/** The parts around a field. Its control refers to each by `describedBy`. */
function partsOf({ form, name, hint, count, scope }: Omit<ShellProps, 'label' | 'children'>) {
  const id = idOf(name, scope)
  const fault = form.faults.find(({ field }) => field === name)?.message
  const part = (kind: string, style: string, text: ComponentChildren) =>
    text && (
      <p class={style} id={`${id}-${kind}`}>
        {text}
      </p>
    )
  const describedBy = [fault && `${id}-fault`, hint && `${id}-hint`, count && `${id}-count`]
  return {
    id,
    fault: part('fault', 'fault', fault),
    hint: part('hint', 'hint', hint),
    count: part('count', 'hint count', count),
    describedBy: describedBy.filter(Boolean).join(' ') || undefined,
  }
}

function idOf(name: string, scope?: string): string {
  return scope === undefined ? name : `${scope}-${name}`
}
