import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { RevisedSettings, StoreSettings } from '../../../domain/store-settings.ts'
import { AppError, invalidField, Moved } from '../../../errors.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { type Operator, recordAct } from '../../audit/service.ts'
import { MIRROR_KEY, mirrorSearch } from '../../catalog/search/jobs.ts'
import { openPublicGame } from '../../games/service.ts'
import { hideAdultPages, showAdultPages } from '../../listings/page/visibility.ts'
import type { SettingsPatch } from '../../settings/model.ts'
import { settingsOf } from '../../settings/reader.ts'
import {
  type ChangedSettings,
  changeSettings as change,
  loadSettings,
  toOperatorSettings,
  tryPatch,
} from '../../settings/service.ts'

export async function getSettings(deps: Deps): Promise<RevisedSettings> {
  return await loadSettings(deps, deps.db)
}

/** What a patch would change, without saving it. */
export async function previewSettings(deps: Deps, patch: SettingsPatch): Promise<ChangedSettings> {
  const read = await findFeatured(deps, patch)
  return { before: await loadSettings(deps, deps.db), after: await tryPatch(deps, deps.db, read) }
}

/** Saves all fields of the patch, or none if one is refused. */
export async function changeSettings(
  deps: Deps,
  operator: Operator,
  patch: SettingsPatch,
  checkRevision: (revision: number) => void,
): Promise<RevisedSettings> {
  const read = await findFeatured(deps, patch)
  const after = await deps.db.transaction(async (tx) => {
    const changed = await change(deps, tx, read, checkRevision)
    await recordChange(deps, tx, operator, changed)
    const policy = changedPolicy(changed, 'adult_content')
    if (policy === 'not_allowed') await hideAdultPages(tx)
    if (policy === 'allowed') await showAdultPages(tx)
    const { before, after: now } = changed
    if (deps.config.meili && !Bun.deepEquals(before.settings.synonyms, now.settings.synonyms))
      await enqueue(tx, mirrorSearch, {}, { key: MIRROR_KEY })
    return changed.after
  })
  await settingsOf(deps).refresh()
  return after
}

function changedPolicy<Name extends keyof StoreSettings>(
  { before, after }: ChangedSettings,
  name: Name,
): StoreSettings[Name] | null {
  return before.settings[name] === after.settings[name] ? null : after.settings[name]
}

/** Replaces the name of the featured listing by its uid, which stays the same when it is renamed. */
async function findFeatured({ db }: Deps, patch: SettingsPatch): Promise<SettingsPatch> {
  const ref = patch.hero?.game?.trim()
  if (!ref) return patch
  const game = await openPublicGame(db, ref).catch((error: unknown) => {
    if (error instanceof AppError || error instanceof Moved) return null
    throw error
  })
  if (game?.visibility !== 'public')
    throw invalidField('hero.game', 'must be the uid or name of a public listing.')
  return { ...patch, hero: { ...patch.hero, game: game.uid } }
}

/** Pages have up to 50,000 characters; the log shows an excerpt around the change. */
const SHOWN_MAX = 300

interface FieldChange {
  name: string
  before: unknown
  after: unknown
}

/** The fields that differ; entries of lists are compared one by one. */
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

/** Records each changed field in the operators' log, with its value before and after. */
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

/** Cuts a long text to an excerpt that begins shortly before the first difference. */
function cut(text: string, firstDifference: number): string {
  if (text.length <= SHOWN_MAX) return text
  const start = Math.max(0, firstDifference - 40)
  const shown = text.slice(start, start + SHOWN_MAX).toWellFormed()
  return `${start > 0 ? '…' : ''}${shown}… (${text.length} characters)`
}
