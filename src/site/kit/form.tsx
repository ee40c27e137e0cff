import type { ComponentChildren } from 'preact'

import type { FormState } from './form-state.ts'

type InputType = 'text' | 'email' | 'password'

interface FieldProps {
  form: FormState
  name: string
  label: string
  type?: InputType
  hint?: string
  /** The initial value. */
  value?: string
  autoComplete?: string
  maxLength?: number
  required?: boolean
  /** Keeps ids unique when a page has several forms. */
  scope?: string
}

/** A field with its label, hint and fault. The entered value is shown again, except for passwords. */
export function Field({ form, name, label, type = 'text', hint, value = '', scope, ...input }: FieldProps) {
  const id = idOf(name, scope)
  const fault = form.faults.find(({ field }) => field === name)
  const described = [hint && `${id}-hint`, fault && `${id}-fault`].filter(Boolean).join(' ')
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <Input
        {...input}
        {...{ id, name, type }}
        value={form.values.get(name) ?? value}
        aria-invalid={fault ? 'true' : undefined}
        aria-describedby={described || undefined}
      />
      {hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {fault ? (
        <p class="fault" id={`${id}-fault`}>
          {fault.message}
        </p>
      ) : null}
    </div>
  )
}

interface InputProps {
  id: string
  name: string
  type: InputType
  value: string
  autoComplete?: string
  maxLength?: number
  required?: boolean
  'aria-invalid': 'true' | undefined
  'aria-describedby': string | undefined
}

function Input({ type, value, ...rest }: InputProps) {
  if (type === 'password') return <input class="input" type="password" {...rest} />
  if (type === 'email') return <input class="input" type="email" value={value} {...rest} />
  return <input class="input" type="text" value={value} {...rest} />
}

interface CheckProps {
  name: string
  label: string
  value?: string
  checked: boolean
  hint?: string
  scope?: string
}

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
        {hint === undefined ? null : (
          <p class="hint" id={`${id}-hint`}>
            {hint}
          </p>
        )}
      </div>
    </div>
  )
}

/** Lists all faults, each linked to its field; screen readers read it when the page opens. */
export function FaultSummary({ form, scope }: { form: FormState; scope?: string }) {
  if (form.faults.length === 0) return null
  return (
    <div class="notice bad faults" role="alert">
      <ul>
        {form.faults.map(({ field, message }) => (
          <li key={field + message}>
            {field === '' ? message : <a href={`#${idOf(field, scope)}`}>{message}</a>}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface PostFormProps {
  action: string
  children: ComponentChildren
  class?: string
}

export function PostForm({ action, children, class: name = 'form' }: PostFormProps) {
  return (
    <form class={name} method="post" action={action} noValidate>
      {children}
    </form>
  )
}

function idOf(name: string, scope?: string): string {
  return scope === undefined ? name : `${scope}-${name}`
}
