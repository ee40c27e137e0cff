import type { DatabaseHandle } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import type { RevisedSettings, StoreSettings } from '../../domain/store-settings.ts'
import type { Storefront } from '../../domain/storefront.ts'
import { loadSettings, SETTINGS_CHANGED, standardSettings } from './service.ts'
import { createFronts, type Fronts, isAnnouncing } from './storefront.ts'

/** How long a process that missed a notification may show outdated settings. */
const LIFETIME_MS = 60_000
/** The same while the connection for notifications is down. */
const UNNOTIFIED_MS = 1000

interface Known extends RevisedSettings {
  fronts: Fronts
  readAt: number
}

/** Caches the settings in memory; Postgres notifies every process of a change when it is committed. */
class SettingsReader {
  #known: Known
  #isCurrent = false
  #invalidations = 0
  #loading: Promise<Known> | undefined

  constructor(private readonly deps: Deps) {
    const standard = standardSettings(deps.config)
    this.#known = { ...standard, fronts: createFronts(deps.config, standard), readAt: 0 }
  }

  /** Call once. Starts listening for changes and loads the settings. */
  async open(): Promise<void> {
    const changed = () => void this.refresh().catch(() => undefined)
    // Connecting reports a gap, so `refresh` has already started the first load, which `#load` waits for.
    await this.deps.database.listen(SETTINGS_CHANGED, changed, changed)
    await this.#load()
  }

  /** For decisions that need the current settings; throws if it has to ask a database that is unreachable. */
  async read(): Promise<StoreSettings> {
    if (this.#isCurrent && this.#age() < LIFETIME_MS && this.deps.database.isListening())
      return this.#known.settings
    return (await this.#load()).settings
  }

  /** For display: returns what is cached and reloads in the background, so it works without the database. */
  readonly storefront = (now: Date = new Date()): Storefront => {
    if (this.#age() > (this.deps.database.isListening() ? LIFETIME_MS : UNNOTIFIED_MS))
      void this.#load().catch(() => undefined)
    const { settings, fronts } = this.#known
    return isAnnouncing(settings, now) ? fronts.announcing : fronts.silent
  }

  /** Call after a change is committed, so that this process reads it next. */
  async refresh(): Promise<void> {
    this.#isCurrent = false
    this.#invalidations += 1
    this.#loading = undefined
    await this.#load()
  }

  #age(): number {
    return Date.now() - this.#known.readAt
  }

  #load(): Promise<Known> {
    this.#loading ??= this.#readNow().finally(() => (this.#loading = undefined))
    return this.#loading
  }

  async #readNow(): Promise<Known> {
    const before = this.#invalidations
    const loaded = await loadSettings(this.deps, this.deps.database.db)
    const isSame = loaded.revision === this.#known.revision
    const fronts = isSame ? this.#known.fronts : createFronts(this.deps.config, loaded)
    const known = { ...loaded, fronts, readAt: Date.now() }
    if (loaded.revision >= this.#known.revision) this.#known = known
    if (before === this.#invalidations) this.#isCurrent = true
    return known
  }
}

const readers = new WeakMap<DatabaseHandle, SettingsReader>()

/** The one reader of a process. */
export function settingsOf(deps: Deps): SettingsReader {
  const reader = readers.get(deps.database) ?? new SettingsReader(deps)
  readers.set(deps.database, reader)
  return reader
}

export async function loadFeePercent(deps: Deps): Promise<number> {
  return (await settingsOf(deps).read()).fee_percent
}
