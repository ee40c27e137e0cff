import type { WebsiteUser } from '../../../domain/actor.ts'
import type { SettingsPatch } from '../../settings/model.ts'
import { changeSettings as change, readSettings, type RevisedSettings } from '../../settings/service.ts'
import { recordAct } from '../audit/service.ts'
import type { Operate } from '../operate.ts'

export async function getSettings({ deps }: Operate): Promise<RevisedSettings> {
  return await readSettings(deps, deps.db)
}

/** All fields of the patch or none; the log shows each that changed, before and after. */
export async function changeSettings(
  { deps }: Operate,
  operator: WebsiteUser,
  patch: SettingsPatch,
  checkRevision: (revision: number) => void,
): Promise<RevisedSettings> {
  return await deps.db.transaction(async (tx) => {
    const { before, after } = await change(deps, tx, patch, checkRevision)
    const was = new Map<string, string>(Object.entries(before.settings))
    const changed = Object.entries(after.settings).filter(([name, value]) => was.get(name) !== value)
    if (changed.length > 0) {
      const reason = changed.map(([name, value]) => `${name}: ${was.get(name) ?? ''} → ${value}`).join('; ')
      const facts = { act: 'change_settings', subject: 'settings', id: null, name: 'settings' } as const
      await recordAct(tx, operator, { ...facts, reason })
    }
    return after
  })
}
