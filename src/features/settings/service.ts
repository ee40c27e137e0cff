import type { Config } from '../../config.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { createNotifiedCache } from '../../db/notify/notified-cache.ts'
import { announce } from '../../db/notify/notify.ts'
import type { Deps } from '../../deps.ts'
import type { SecondFactorPolicy } from '../../domain/second-factor.ts'
import { isLoopbackHost } from '../../lib/net/loopback.ts'
import type { SettingsPatch, StoreSettings } from './model.ts'
import * as queries from './queries.ts'

const CHANNEL = 'settings'
const ROW = 'settings'
const MAX_ENTRIES = 1
/** The longest a process that missed a notice shows the former settings. */
const LIFETIME_MS = 60_000

/** The settings with the revision that If-Match is compared with. */
export interface RevisedSettings {
  settings: StoreSettings
  revision: number
}

/** Reads the settings from memory; a change is seen everywhere once it is committed. */
export async function createSettingsReader(deps: Deps): Promise<() => Promise<StoreSettings>> {
  const cache = await createNotifiedCache<StoreSettings>(deps.database, CHANNEL, {
    maxEntries: MAX_ENTRIES,
    lifetimeMs: LIFETIME_MS,
    ownersOf: () => [ROW],
  })
  const load = async () => (await readSettings(deps, deps.db)).settings
  return async () => (await cache.get(ROW, load)) ?? (await load())
}

export async function readSettings({ config }: Pick<Deps, 'config'>, db: Db): Promise<RevisedSettings> {
  return toSettings(config, await queries.findSettings(db))
}

/** Returns them as they were and as they are. */
export async function changeSettings(
  { config, database }: Deps,
  tx: Transaction,
  patch: SettingsPatch,
  checkRevision: (revision: number) => void,
): Promise<{ before: RevisedSettings; after: RevisedSettings }> {
  const before = toSettings(config, await queries.lockSettings(tx))
  checkRevision(before.revision)
  const { second_factor: secondFactor } = patch
  const row = await queries.updateSettings(tx, secondFactor === undefined ? {} : { secondFactor })
  await announce(database, tx, CHANNEL, ROW)
  return { before, after: toSettings(config, row) }
}

function toSettings(config: Config, row: queries.SettingsRow | undefined): RevisedSettings {
  return {
    settings: { second_factor: row?.secondFactor ?? defaultPolicy(config) },
    revision: row?.revision ?? 0,
  }
}

/** A store that others can reach is worth attacking; one's own machine is not. */
function defaultPolicy({ baseUrl }: Config): SecondFactorPolicy {
  return isLoopbackHost(new URL(baseUrl).hostname) ? 'optional' : 'operators'
}
