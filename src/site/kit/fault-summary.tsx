import type { Issue } from '../../errors.ts'

/** `review` and `text` make `review-text`, the id of the field. */
export function idOf(form: string, field: string): string {
  return `${form}-${field}`
}

/** Lists all faults at the top of the page, each linked to its field. */
export function FaultSummary({ form, faults }: { form: string; faults: readonly Issue[] }) {
  if (faults.length === 0) return null
  return (
    <div class="notice bad" role="alert">
      <div>
        <p>
          <strong>Nothing was saved.</strong>
        </p>
        <ul>
          {faults.map(({ path, message }) => (
            <li key={path}>
              <a href={`#${idOf(form, path)}`}>{message}</a>
            </li>
          ))}
        </ul>
      </div>
    </div>
  )
}

interface FieldFaultProps {
  form: string
  field: string
  faults: readonly Issue[]
}

/** The fault beside its field, which refers to it by `describedBy`. */
export function FieldFault({ form, field, faults }: FieldFaultProps) {
  const fault = faults.find(({ path }) => path === field)
  if (!fault) return null
  return (
    <p class="fault" id={`${idOf(form, field)}-fault`}>
      {fault.message}
    </p>
  )
}

/** Attributes for an invalid field: that it is invalid, and which element says why. */
export function describeFault({ form, field, faults }: FieldFaultProps, hint?: string) {
  const isWrong = faults.some(({ path }) => path === field)
  const ids = [isWrong ? `${idOf(form, field)}-fault` : null, hint].filter(Boolean).join(' ')
  return {
    'aria-invalid': isWrong ? ('true' as const) : undefined,
    'aria-describedby': ids === '' ? undefined : ids,
  }
}
