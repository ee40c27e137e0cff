import type { DatabaseHandle } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import type { RevisedSettings, StoreSettings } from '../../domain/store-settings.ts'
import type { Storefront } from '../../domain/storefront.ts'
import { loadSettings, SETTINGS_CHANGED, standardSettings } from './service.ts'
import { createFronts, type Fronts, isAnnouncing } from './storefront.ts'

/** The longest a process that missed a notice shows the former settings. */
const LIFETIME_MS = 60_000
/** The same while the database sends no notices. */
const UNNOTIFIED_MS = 1000

interface Known extends RevisedSettings {
  fronts: Fronts
  readAt: number
}

/** The settings in memory: every process of the store sees a change as soon as it is committed. */
export class SettingsReader {
  #known: Known
  #isCurrent = false
  #invalidations = 0
  #loading: Promise<Known> | undefined

  constructor(private readonly deps: Deps) {
    const standard = standardSettings(deps.config)
    this.#known = { ...standard, fronts: createFronts(deps.config, standard), readAt: 0 }
  }

  /** Call once. From then on a change is read as soon as it is announced. */
  async open(): Promise<void> {
    const changed = () => void this.refresh().catch(() => undefined)
    // Listening begins with a gap, which has begun the first read.
    await this.deps.database.listen(SETTINGS_CHANGED, changed, changed)
    await this.#load()
  }

  /** For what depends on them being right; throws when the database is away. */
  async read(): Promise<StoreSettings> {
    if (this.#isCurrent && this.#age() < LIFETIME_MS && this.deps.database.isListening())
      return this.#known.settings
    return (await this.#load()).settings
  }

  /** For what is shown, also while the database is away. */
  readonly storefront = (now: Date = new Date()): Storefront => {
    if (this.#age() > (this.deps.database.isListening() ? LIFETIME_MS : UNNOTIFIED_MS))
      void this.#load().catch(() => undefined)
    const { settings, fronts } = this.#known
    return isAnnouncing(settings, now) ? fronts.announcing : fronts.silent
  }

  /** Call after a change is committed: the next read of this process has it. */
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

export async function readFeePercent(deps: Deps): Promise<number> {
  return (await settingsOf(deps).read()).fee_percent
}
