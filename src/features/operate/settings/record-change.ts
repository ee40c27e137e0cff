import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { type ChangedSettings, toOperatorSettings } from '../../settings/service.ts'
import { type Operator, recordAct } from '../audit/service.ts'

/** A page has up to 50,000 characters; the log shows where it changed. */
const SHOWN_MAX = 300

export interface FieldChange {
  name: string
  before: unknown
  after: unknown
}

/** The fields that differ; of a list each entry by itself. */
export function listChanges(deps: Pick<Deps, 'config'>, { before, after }: ChangedSettings): FieldChange[] {
  const was: Record<string, unknown> = toOperatorSettings(deps, before)
  return Object.entries(toOperatorSettings(deps, after))
    .map(([name, value]) => ({ name, before: was[name], after: value }))
    .flatMap((change) => (isObjects(change.before) && isObjects(change.after) ? split(change) : [change]))
    .filter((change) => !Bun.deepEquals(change.before, change.after))
}

export function describeChange({ name, before, after }: FieldChange): string {
  const [from, to] = [say(before), say(after)]
  const start = sharedLength(from, to)
  return `${name}: ${cut(from, start)} → ${cut(to, start)}`
}

/** The log shows each field before and after. */
export async function recordChange(
  deps: Pick<Deps, 'config'>,
  tx: Transaction,
  operator: Operator,
  changed: ChangedSettings,
): Promise<void> {
  const changes = listChanges(deps, changed)
  if (changes.length === 0) return
  const facts = { act: 'change_settings', subject: 'settings', id: null, name: 'settings' } as const
  await recordAct(tx, operator, { ...facts, reason: changes.map(describeChange).join('; ') })
}

function isObjects(value: unknown): value is object[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'object')
}

function split({ name, before, after }: FieldChange): FieldChange[] {
  const [was, is] = [before as object[], after as object[]]
  return Array.from({ length: Math.max(was.length, is.length) }, (_, index) => ({
    name: `${name}[${index}]`,
    before: was[index] ?? null,
    after: is[index] ?? null,
  }))
}

function say(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function sharedLength(one: string, other: string): number {
  let at = 0
  while (at < one.length && one[at] === other[at]) at += 1
  return at
}

/** Long texts from shortly before the first difference on. */
function cut(text: string, firstDifference: number): string {
  if (text.length <= SHOWN_MAX) return text
  const start = Math.max(0, firstDifference - 40)
  const shown = text.slice(start, start + SHOWN_MAX).toWellFormed()
  return `${start > 0 ? '…' : ''}${shown}… (${text.length} characters)`
}
