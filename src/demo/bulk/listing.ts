import type { EngineRange } from '../../domain/engine-range.ts'
import { LICENSE_KINDS } from '../../domain/licenses.ts'
import { type AssetType, MODDING_TYPES, PARENT_RULES, PARENT_TYPES, STATUSES } from '../../domain/listing.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../domain/taxonomy.ts'
import { createDice, type Dice } from '../../lib/dice.ts'
import { slugify } from '../../lib/slug.ts'
import { works } from '../listing-data.ts'
import type { GameValues } from '../queries.ts'
import { seededUid } from '../uids.ts'
import { common, commonSome, inventDescription, inventName, inventTagline } from './text.ts'
import { ENGINES, TAGS } from './words.ts'

const DAY_MS = 86_400_000
const YEARS = 3
/** Where the ids of all of them begin, whenever they are made. */
const FIRST_MOMENT = Date.UTC(2023, 0, 1)
const LISTINGS_PER_DEVELOPER = 25
const PRICES = [499, 999, 1499, 299, 1999, 699, 799, 2499, 2999, 4999]
/** In a hundred. */
const TYPES: readonly AssetType[] = [
  ...Array<AssetType>(62).fill('game'),
  ...Array<AssetType>(10).fill('mod'),
  ...Array<AssetType>(8).fill('application'),
  ...Array<AssetType>(7).fill('game_asset'),
  ...Array<AssetType>(6).fill('tool'),
  ...Array<AssetType>(4).fill('plugin'),
  ...Array<AssetType>(3).fill('dev_asset'),
]

export interface BulkOwner {
  uid: string
  number: number
}

export interface BulkListing {
  row: GameValues
  owner: BulkOwner
}

/** Listing number so-and-so: always the same one, but for its dates, which end today. */
export function inventListing(number: number, today: Date): BulkListing {
  const dice = createDice(`listing ${number}`)
  const { assetType, visibility, adult } = inventKind(number, dice)
  const owner = ownerOf(Math.floor(dice.next() ** 1.5 * (Math.floor(number / LISTINGS_PER_DEVELOPER) + 1)))
  const name = inventName(dice)
  const parent = PARENT_RULES[assetType] === 'required' ? inventParent(number, dice) : null
  const publishedAt = new Date(today.getTime() - dice.next() ** 1.3 * YEARS * 365 * DAY_MS)
  const updatedAt = new Date(
    publishedAt.getTime() + (today.getTime() - publishedAt.getTime()) * dice.next() ** 2,
  )
  const players = 1 + Math.floor(16 * dice.next() ** 4)
  const engines = commonSome(dice, ENGINES, dice.chance(0.1) ? 2 : 1)
  const priceCents = dice.chance(0.6) ? 0 : common(dice, PRICES)
  const row = {
    uid: uidOf(number),
    ownerUid: owner.uid,
    ...{ assetType, visibility, adult, name, priceCents },
    vanityName: `${slugify(name, 50)}-${number}`,
    tagline: inventTagline(dice),
    description: inventDescription(dice),
    status: common(dice, STATUSES),
    indexable: dice.chance(0.97),
    anonymousDownloads: priceCents === 0 && dice.chance(0.5),
    licenseKind: /asset$/.test(assetType) || dice.chance(0.05) ? dice.pick(LICENSE_KINDS) : null,
    genres: commonSome(dice, GENRES, 1 + dice.below(3)),
    tags: inventTags(dice),
    tone: commonSome(dice, TONES, dice.below(4)),
    inputs: commonSome(dice, INPUTS, 1 + dice.below(3)),
    contentWarnings: adult || dice.chance(0.2) ? commonSome(dice, CONTENT_WARNINGS, 1 + dice.below(3)) : [],
    engines,
    sessionBucket: dice.chance(0.85) ? dice.pick(SESSION_BUCKETS) : null,
    net: dice.chance(0.85) ? common(dice, NETS) : null,
    playersMin: 1,
    playersMax: players,
    authorship: dice.chance(0.7) ? common(dice, AUTHORSHIPS) : null,
    aiUses: dice.chance(0.15) ? dice.draw(AI_USES, 1 + dice.below(2)) : [],
    ...(parent ?? NO_PARENT),
    modSettings: MODDING_TYPES.includes(assetType)
      ? { install_path: 'mods', loader: null, instructions: null }
      : null,
    engineCompat:
      parent || assetType === 'dev_asset' ? engines.map((engine) => inventRange(engine, dice)) : [],
    createdAt: new Date(publishedAt.getTime() - 30 * DAY_MS),
    updatedAt,
    publishedAt: visibility === 'public' ? publishedAt : null,
    publicSince: visibility === 'public' ? publishedAt : null,
  }
  return { row, owner }
}

/** What others need to know of a listing before it is their parent: these dice are thrown first. */
function inventKind(number: number, dice: Dice) {
  const assetType = number < LISTINGS_PER_DEVELOPER ? 'game' : dice.pick(TYPES)
  const visibility = dice.chance(0.96) ? ('public' as const) : ('invisible' as const)
  return { assetType, visibility, adult: dice.chance(0.03) }
}

function inventTags(dice: Dice): string[] {
  const tags = commonSome(dice, TAGS, 3 + dice.below(10))
  return tags.length < 3 ? dice.draw(TAGS, 3) : tags
}

const NO_PARENT = { parentUid: null, parentExternalName: null, parentExternalUrl: null }

/** A public game or application that came before, or now and then one from elsewhere. */
function inventParent(
  number: number,
  dice: Dice,
): typeof NO_PARENT | Record<keyof typeof NO_PARENT, string | null> {
  for (let tries = 0; tries < 8; tries += 1) {
    const candidate = dice.below(number)
    const { assetType, visibility, adult } = inventKind(candidate, createDice(`listing ${candidate}`))
    if (PARENT_TYPES.includes(assetType) && visibility === 'public' && !adult) {
      return { ...NO_PARENT, parentUid: uidOf(candidate) }
    }
  }
  const name = inventName(dice)
  return {
    ...NO_PARENT,
    parentExternalName: name,
    parentExternalUrl: `https://${slugify(name, 40)}.example/`,
  }
}

function inventRange(engine: string, dice: Dice): EngineRange {
  const major = 1 + dice.below(4)
  const minor = dice.below(5)
  const max = dice.chance(0.3) ? `${major}` : `${major}.${minor + dice.below(4)}`
  return works(engine, `${major}.${minor}`, max, {
    renderer: dice.chance(0.2) ? dice.pick(['gl-compatibility', 'forward-plus', 'mobile']) : null,
    platform: dice.chance(0.2) ? dice.pick(['windows', 'linux', 'macos', 'web']) : null,
  })
}

function uidOf(number: number): string {
  return seededUid(new Date(FIRST_MOMENT + number * 1000), createDice(`id ${number}`))
}

function ownerOf(number: number): BulkOwner {
  return { number, uid: seededUid(new Date(FIRST_MOMENT + number), createDice(`developer ${number}`)) }
}
