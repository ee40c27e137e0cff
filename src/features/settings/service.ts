import type { Config } from '../../config.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { createNotifiedCache } from '../../db/notify/notified-cache.ts'
import { announce } from '../../db/notify/notify.ts'
import type { Deps } from '../../deps.ts'
import type { SecondFactorPolicy } from '../../domain/second-factor.ts'
import { requireMatch } from '../../http/input/if-match.ts'
import { isLoopbackHost } from '../../lib/net/loopback.ts'
import type { SettingsPatch, StoreSettings } from './model.ts'
import * as queries from './queries.ts'

const CHANNEL = 'settings'
const ROW = 'settings'
const MAX_ENTRIES = 1
/** The longest a process that missed a notice shows the former settings. */
const LIFETIME_MS = 60_000

/** The settings with the tag of their version. */
export interface VersionedSettings {
  settings: StoreSettings
  etag: string
}

/** Reads the settings from memory; a change is seen everywhere once it is committed. */
export async function createSettingsReader(deps: Deps): Promise<() => Promise<StoreSettings>> {
  const cache = await createNotifiedCache<StoreSettings>(deps.database, CHANNEL, {
    ...{ maxEntries: MAX_ENTRIES, lifetimeMs: LIFETIME_MS },
    ownerOf: () => ROW,
  })
  const load = async () => (await readSettings(deps, deps.db)).settings
  return async () => (await cache.get(ROW, load)) ?? (await load())
}

export async function readSettings({ config }: Pick<Deps, 'config'>, db: Db): Promise<VersionedSettings> {
  return show(config, await queries.findSettings(db))
}

/** Returns them as they were and as they are. */
export async function changeSettings(
  { config, database }: Deps,
  tx: Transaction,
  patch: SettingsPatch,
  ifMatch: string | null,
): Promise<{ before: VersionedSettings; after: VersionedSettings }> {
  const before = show(config, await queries.lockSettings(tx))
  requireMatch(ifMatch, before.etag)
  const row = await queries.updateSettings(tx, {
    ...(patch.second_factor === undefined ? {} : { secondFactor: patch.second_factor }),
  })
  await announce(database, tx, CHANNEL, ROW)
  return { before, after: show(config, row) }
}

function show(config: Config, row: queries.SettingsRow | undefined): VersionedSettings {
  return {
    settings: { second_factor: row?.secondFactor ?? defaultPolicy(config) },
    etag: `"${row?.revision ?? 0}"`,
  }
}

/** A store that others can reach is worth attacking; one's own machine is not. */
function defaultPolicy({ baseUrl }: Config): SecondFactorPolicy {
  return isLoopbackHost(new URL(baseUrl).hostname) ? 'optional' : 'operators'
}
