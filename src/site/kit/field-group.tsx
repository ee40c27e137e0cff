import type { ComponentChildren } from 'preact'

import type { FormState } from './form-state.ts'
import { InSection, useSection } from './outcome.tsx'

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
