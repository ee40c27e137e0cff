import { Value } from '@sinclair/typebox/value'

import type { Config } from '../../config/config.ts'
import type { Db, Transaction } from '../../db/client.ts'
import { announce } from '../../db/notify/notify.ts'
import type { Deps } from '../../deps.ts'
import type { SecondFactorPolicy } from '../../domain/confirmation.ts'
import {
  DEFAULT_SETTINGS,
  PUBLIC_NAMES,
  type PublicName,
  type RevisedSettings,
  STORE_IMAGES,
  type StoredSettings,
  type StoreImageName,
  type StoreImages,
  type StoreSettings,
} from '../../domain/store-settings.ts'
import { isLoopbackHost } from '../../lib/net/addresses.ts'
import { OperatorSettings, type SettingsPatch } from './model.ts'
import { parsePatch } from './parse-patch.ts'
import * as queries from './queries.ts'
import { FULL, IMAGE_TYPES, imagePath, MAIL, parseImagePath } from './storefront.ts'

/** The notification channel: each change is announced to every process. */
export const SETTINGS_CHANGED = 'settings'

type Settled = Pick<Deps, 'config'>

export async function loadSettings({ config }: Settled, db: Db): Promise<RevisedSettings> {
  return toSettings(config, await queries.findSettings(db))
}

/** Loads policies under a share lock, so that they cannot change before the caller's transaction ends. */
export async function lockPolicies(
  tx: Transaction,
): Promise<Pick<StoreSettings, 'publishing' | 'adult_content'>> {
  const { publishing, adult_content } = parseStored(await queries.lockSettings(tx, 'share'))
  return { publishing, adult_content }
}

/** The settings with the patch applied; saves nothing. */
export async function tryPatch({ config }: Settled, db: Db, patch: SettingsPatch): Promise<RevisedSettings> {
  const row = await queries.findSettings(db)
  const { stored, secondFactor = row?.secondFactor ?? null } = parsePatch(row?.stored ?? {}, patch)
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
  return await change(deps, tx, checkRevision, (row) => parsePatch(row?.stored ?? {}, patch))
}

/** Replaces an image in all its sizes; without one the default is shown again. */
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
  // Deep equality, because Postgres stores the members of JSON in an order of its own.
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

export function toPublic(settings: StoreSettings): Pick<StoreSettings, PublicName> {
  return Object.fromEntries(PUBLIC_NAMES.map((name) => [name, settings[name]])) as Pick<
    StoreSettings,
    PublicName
  >
}

export function imageAddresses({ baseUrl }: Config, images: StoreImages) {
  const address = (name: StoreImageName) => {
    const path = imagePath(images, name)
    return path && baseUrl + path
  }
  return Object.fromEntries(STORE_IMAGES.map((name) => [name, address(name)])) as Record<
    StoreImageName,
    string | null
  >
}

export function standardSettings(config: Config): RevisedSettings {
  return toSettings(config, undefined)
}

function toSettings(config: Config, row: queries.SettingsRow | undefined): RevisedSettings {
  return {
    settings: { ...parseStored(row), second_factor: row?.secondFactor ?? defaultPolicy(config) },
    images: row?.stored.images ?? {},
    revision: row?.revision ?? 0,
  }
}

function parseStored(row: queries.SettingsRow | undefined): Omit<StoreSettings, 'second_factor'> {
  return { ...DEFAULT_SETTINGS, ...onlyValid(row?.stored ?? {}) }
}

/** Drops fields that another version wrote and this one cannot read; they get their defaults. */
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

/** Operators need a second factor by default, except on a store that only this machine can reach. */
function defaultPolicy({ baseUrl }: Config): SecondFactorPolicy {
  return isLoopbackHost(new URL(baseUrl).hostname) ? 'optional' : 'operators'
}

export interface ServedImage {
  bytes: Uint8Array<ArrayBuffer>
  type: string
}

/** The image at this path; null if it has been replaced. */
export async function findImage(db: Db, file: string): Promise<ServedImage | null> {
  const named = parseImagePath(file)
  if (!named) return null
  const { name, variant, hash } = named
  const found = await queries.findImage(db, name, variant === MAIL ? FULL : variant)
  if (!found?.sha256.startsWith(hash)) return null
  if (variant !== MAIL) return { bytes: new Uint8Array(found.bytes), type: IMAGE_TYPES[name] }
  return { bytes: new Uint8Array(await new Bun.Image(found.bytes).png().bytes()), type: 'image/png' }
}
