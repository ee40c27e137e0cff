import { Value } from '@sinclair/typebox/value'

import type { Config } from '../../config.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { announce } from '../../db/notify/notify.ts'
import type { Deps } from '../../deps.ts'
import type { SecondFactorPolicy } from '../../domain/second-factor.ts'
import {
  DEFAULT_SETTINGS,
  type RevisedSettings,
  type StoredSettings,
  type StoreImageName,
  type StoreImages,
  type StoreSettings,
} from '../../domain/store-settings.ts'
import { isLoopbackHost } from '../../lib/net/loopback.ts'
import { OperatorSettings, type SettingsPatch } from './model.ts'
import * as queries from './queries.ts'
import { readPatch } from './read-patch.ts'
import { IMAGE_TYPES, imagePath, readImagePath } from './storefront.ts'

/** Announced to every process by each change. */
export const SETTINGS_CHANGED = 'settings'

type Settled = Pick<Deps, 'config'>

export async function loadSettings({ config }: Settled, db: Db): Promise<RevisedSettings> {
  return toSettings(config, await queries.findSettings(db))
}

/** The policies as they are and stay until the transaction ends, for what a change of them must not overtake. */
export async function holdPolicies(
  tx: Transaction,
): Promise<Pick<StoreSettings, 'publishing' | 'adult_content'>> {
  const { publishing, adult_content } = readStored(await queries.lockSettings(tx, 'share'))
  return { publishing, adult_content }
}

/** The settings as the patch would leave them. */
export async function tryPatch({ config }: Settled, db: Db, patch: SettingsPatch): Promise<RevisedSettings> {
  const row = await queries.findSettings(db)
  const { stored, secondFactor = row?.secondFactor ?? null } = readPatch(row?.stored ?? {}, patch)
  return toSettings(config, { stored, secondFactor, revision: row?.revision ?? 0 })
}

export interface ChangedSettings {
  before: RevisedSettings
  after: RevisedSettings
}

export async function changeSettings(
  deps: Deps,
  tx: Transaction,
  patch: SettingsPatch,
  checkRevision: (revision: number) => void,
): Promise<ChangedSettings> {
  return await change(deps, tx, checkRevision, (row) => readPatch(row?.stored ?? {}, patch))
}

/** One image in all its sizes; none brings the default back. */
export async function changeImage(
  deps: Deps,
  tx: Transaction,
  name: StoreImageName,
  image: {
    sha256: string
    width: number
    height: number
    variants: Readonly<Record<string, Uint8Array>>
  } | null,
): Promise<ChangedSettings> {
  const { sha256 = '', width = 0, height = 0, variants = {} } = image ?? {}
  const changed = await change(
    deps,
    tx,
    () => undefined,
    (row) => {
      const { images: known = {}, ...stored } = row?.stored ?? {}
      const others = Object.fromEntries(Object.entries(known).filter(([key]) => key !== name))
      const images = image ? { ...others, [name]: { sha256, width, height } } : others
      return { stored: { ...stored, images } }
    },
  )
  const rows = Object.entries(variants).map(([variant, bytes]) => ({ name, variant, sha256, bytes }))
  await queries.replaceImages(tx, name, rows)
  return changed
}

async function change(
  { config, database }: Deps,
  tx: Transaction,
  checkRevision: (revision: number) => void,
  make: (
    row: queries.SettingsRow | undefined,
  ) => Partial<Pick<queries.SettingsRow, 'secondFactor' | 'stored'>>,
): Promise<ChangedSettings> {
  const row = await queries.lockSettings(tx, 'update')
  const before = toSettings(config, row)
  checkRevision(before.revision)
  const made = make(row)
  // Whatever the order of members: Postgres has its own.
  if (row && Bun.deepEquals({ ...row, ...made }, row)) return { before, after: before }
  const saved = await queries.updateSettings(tx, made)
  await announce(database, tx, SETTINGS_CHANGED, 'settings')
  return { before, after: toSettings(config, saved) }
}

/** As the API shows them. */
export function toOperatorSettings(
  { config }: Settled,
  { settings, images }: RevisedSettings,
): OperatorSettings {
  return { ...settings, ...imageAddresses(config, images) }
}

export function imageAddresses({ baseUrl }: Config, images: StoreImages) {
  const address = (name: StoreImageName) => {
    const path = imagePath(images, name)
    return path && baseUrl + path
  }
  return {
    logo: address('logo'),
    logo_dark: address('logo_dark'),
    icon: address('icon'),
    share_image: address('share_image'),
  }
}

export function standardSettings(config: Config): RevisedSettings {
  return toSettings(config, undefined)
}

function toSettings(config: Config, row: queries.SettingsRow | undefined): RevisedSettings {
  return {
    settings: { ...readStored(row), second_factor: row?.secondFactor ?? defaultPolicy(config) },
    images: row?.stored.images ?? {},
    revision: row?.revision ?? 0,
  }
}

function readStored(row: queries.SettingsRow | undefined): Omit<StoreSettings, 'second_factor'> {
  return { ...DEFAULT_SETTINGS, ...onlyValid(row?.stored ?? {}) }
}

/** A field that another version of the program wrote, and this one cannot read, has its default. */
function onlyValid(stored: StoredSettings): Omit<StoredSettings, 'images'> {
  const { properties } = OperatorSettings
  return Object.fromEntries(
    Object.entries(stored).filter(
      ([name, value]) =>
        Object.hasOwn(DEFAULT_SETTINGS, name) &&
        Value.Check(properties[name as keyof typeof properties], value),
    ),
  )
}

/** A store that others can reach is worth attacking; one's own machine is not. */
function defaultPolicy({ baseUrl }: Config): SecondFactorPolicy {
  return isLoopbackHost(new URL(baseUrl).hostname) ? 'optional' : 'operators'
}

export interface ServedImage {
  bytes: Uint8Array<ArrayBuffer>
  type: string
}

/** The image that a path names; null once another one has replaced it. */
export async function readImage(db: Db, file: string): Promise<ServedImage | null> {
  const named = readImagePath(file)
  const found = named && (await queries.findImage(db, named.name, named.variant))
  if (!found?.sha256.startsWith(named?.hash ?? '-')) return null
  return { bytes: new Uint8Array(found.bytes), type: IMAGE_TYPES[named?.name ?? 'icon'] }
}
