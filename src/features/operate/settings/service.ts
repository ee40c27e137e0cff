import type { Deps } from '../../../deps.ts'
import type { RevisedSettings, StoreSettings } from '../../../domain/store-settings.ts'
import { AppError, invalidField, Moved } from '../../../errors.ts'
import { openPublicGame } from '../../games/service.ts'
import { hideAdultPages, showAdultPages } from '../../listings/page/adult-policy.ts'
import type { SettingsPatch } from '../../settings/model.ts'
import { settingsOf } from '../../settings/reader.ts'
import {
  type ChangedSettings,
  changeSettings as change,
  loadSettings,
  tryPatch,
} from '../../settings/service.ts'
import type { Operator } from '../audit/service.ts'
import type { Operate } from '../operate.ts'
import { recordChange } from './record-change.ts'

export async function getSettings({ deps }: Pick<Operate, 'deps'>): Promise<RevisedSettings> {
  return await loadSettings(deps, deps.db)
}

/** What a patch would change, without saving it. */
export async function previewSettings(
  { deps }: Pick<Operate, 'deps'>,
  patch: SettingsPatch,
): Promise<ChangedSettings> {
  const read = await findFeatured(deps, patch)
  return { before: await loadSettings(deps, deps.db), after: await tryPatch(deps, deps.db, read) }
}

/** All fields of the patch or none. */
export async function changeSettings(
  { deps }: Pick<Operate, 'deps'>,
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

/** The featured listing is stored by its uid, which a new name does not change. */
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
