import type { ButtonHTMLAttributes, ComponentChildren } from 'preact'

import { idOf } from './field.tsx'
import type { FormState } from './form-state.ts'
import { Message, useFormMessage } from './outcome.tsx'

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
