import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'

import { idOf } from './field.tsx'
import type { FormState } from './form-state.ts'

/** Lists all faults, each linked to its field; screen readers read it when the page opens. */
export function FaultSummary({ form, scope }: { form: FormState | undefined; scope?: string | undefined }) {
  if (form === undefined || form.faults.length === 0) return null
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
  encType?: 'multipart/form-data'
}

export function PostForm({ action, children, class: name = 'form', encType }: PostFormProps) {
  return (
    <form class={name} method="post" action={action} encType={encType} noValidate>
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
