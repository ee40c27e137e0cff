import type { ComponentChildren } from 'preact'

import type { FormState } from './form-state.ts'

export interface FieldProps {
  form: FormState
  name: string
  label: ComponentChildren
  hint?: ComponentChildren
  /** Keeps ids unique when a page has several forms. */
  scope?: string
}

export interface Attributes {
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

export function idOf(name: string, scope?: string): string {
  return scope === undefined ? name : `${scope}-${name}`
}
