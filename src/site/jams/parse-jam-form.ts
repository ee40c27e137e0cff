import { AppError, invalidFields, type Issue } from '../../errors.ts'
import { JamInput, JamPatch, type OwnJam } from '../../features/jams/jams/model.ts'
import {
  checked,
  type FieldReader,
  lines,
  linesOf,
  maybeText,
  readForm,
  textOf,
  typed,
  utcTime,
} from '../kit/form-state.ts'
import { CRITERION } from './jam-form.tsx'

const ROWS_MAX = 20

const listed: FieldReader = (form, name) => form.getAll(name).filter((value) => value !== '')
const usernames: FieldReader = (form, name) => linesOf(form, name)
const sentTime: FieldReader = (form, name) => (form.has(name) ? utcTime(form, name) : undefined)

/** The rows of criteria that have a name, by their place in the form. */
function listRows(form: URLSearchParams): number[] {
  return Array.from({ length: ROWS_MAX }, (_, row) => row).filter(
    (row) => textOf(form, `${CRITERION}${row}.name`).trim() !== '',
  )
}

const criteria: FieldReader = (form) =>
  listRows(form).map((row) => ({
    name: textOf(form, `${CRITERION}${row}.name`),
    text: textOf(form, `${CRITERION}${row}.text`),
    primary: form.get('primary') === String(row),
  }))

/** All fields of the form of a jam that has not started, where empty boxes mean no. */
const WHOLE = {
  title: typed,
  text: lines,
  theme_hidden: checked,
  types: listed,
  platforms: listed,
  web_required: checked,
  made_during: checked,
  must_play: checked,
  criteria,
  hosts: usernames,
  judges: usernames,
} as const

export function parseNewJam(form: URLSearchParams): JamInput {
  return readForm(JamInput, form, {
    ...WHOLE,
    slug: maybeText,
    starts_at: sentTime,
    ends_at: sentTime,
    voting_ends_at: sentTime,
  })
}

/** The form of a jam that has started has fewer fields; the others are left out. */
export function parseJamPatch(form: URLSearchParams, before: OwnJam): JamPatch {
  const isWhole = form.get('form') === 'whole'
  /** Fields for times have no seconds: what was not changed keeps them. */
  const time =
    (known: string | null): FieldReader =>
    (sent, name) =>
      known !== null && textOf(sent, name).slice(0, 16) === known.slice(0, 16)
        ? undefined
        : sentTime(sent, name)
  return readForm(JamPatch, form, {
    ...(isWhole ? WHOLE : { text: lines, hosts: usernames, judges: usernames }),
    slug: maybeText,
    starts_at: time(before.starts_at),
    ends_at: time(before.ends_at),
    voting_ends_at: time(before.voting_ends_at),
  })
}

/** Moves faults of criteria to the rows of the form, which may have empty ones between them. */
export function placeCriteria(error: unknown, form: URLSearchParams): unknown {
  if (!(error instanceof AppError) || !Array.isArray(error.data?.['issues'])) return error
  const rows = listRows(form)
  const issues = (error.data['issues'] as Issue[]).map((issue) => {
    const [list, index, field] = issue.path.split('.')
    if (list !== 'criteria' || index === undefined) return issue
    const path = `${CRITERION}${rows[Number(index)] ?? index}.${field ?? 'name'}`
    return { path, message: issue.message.replace(/^criteria\[\d+\]\.?\w*/, 'This') }
  })
  return invalidFields(issues, { kind: error.kind })
}
