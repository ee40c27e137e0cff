import { ACCESSIBILITY } from '../../domain/listings/accessibility.ts'
import type { EngineRange } from '../../domain/listings/engine-range.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../../domain/listings/fields.ts'
import type { LanguageSupport } from '../../domain/listings/languages.ts'
import {
  type AssetType,
  LICENSE_KINDS,
  MODDING_TYPES,
  PARENT_RULES,
  PARENT_TYPES,
  STATUSES,
} from '../../domain/listings/listing.ts'
import { createRandom, type Random } from '../../lib/random.ts'
import { slugify } from '../../lib/text/names.ts'
import { DAY_MS } from '../../lib/time.ts'
import { type GameValues, seededUid } from '../queries.ts'

const LANGUAGES = ['en', 'de', 'fr', 'es', 'pt-BR', 'zh-Hans', 'ja', 'pl', 'it', 'ko', 'ru', 'tr', 'uk', 'cs']
const YEARS = 3
/** The time of the first id, the same in every run. */
const FIRST_MOMENT = Date.UTC(2023, 0, 1)
const LISTINGS_PER_DEVELOPER = 25
const PRICES = [499, 999, 1499, 299, 1999, 699, 799, 2499, 2999, 4999]
/** One hundred entries, so each count is a percentage. */
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

/** Returns the same listing for the same number, except for its dates, which end today. */
export function inventListing(number: number, today: Date): BulkListing {
  const random = createRandom(`listing ${number}`)
  const { assetType, visibility, adult } = inventKind(number, random)
  const owner = ownerOf(Math.floor(random.next() ** 1.5 * (Math.floor(number / LISTINGS_PER_DEVELOPER) + 1)))
  const name = inventName(random)
  const parent = PARENT_RULES[assetType] === 'required' ? inventParent(number, random) : null
  const publishedAt = new Date(today.getTime() - random.next() ** 1.3 * YEARS * 365 * DAY_MS)
  const updatedAt = new Date(
    publishedAt.getTime() + (today.getTime() - publishedAt.getTime()) * random.next() ** 2,
  )
  const players = 1 + Math.floor(16 * random.next() ** 4)
  const engines = commonSome(random, ENGINES, random.chance(0.1) ? 2 : 1)
  const priceCents = random.chance(0.6) ? 0 : common(random, PRICES)
  const row = {
    uid: uidOf(number),
    ownerUid: owner.uid,
    assetType,
    visibility,
    adult,
    name,
    priceCents,
    vanityName: `${slugify(name, 50)}-${number}`,
    tagline: inventTagline(random),
    description: inventDescription(random),
    status: common(random, STATUSES),
    indexable: random.chance(0.97),
    anonymousDownloads: priceCents === 0 && random.chance(0.5),
    licenseKind: /asset$/.test(assetType) || random.chance(0.05) ? random.pick(LICENSE_KINDS) : null,
    genres: commonSome(random, GENRES, 1 + random.below(3)),
    tags: inventTags(random),
    tone: commonSome(random, TONES, random.below(4)),
    inputs: commonSome(random, INPUTS, 1 + random.below(3)),
    contentWarnings:
      adult || random.chance(0.2) ? commonSome(random, CONTENT_WARNINGS, 1 + random.below(3)) : [],
    engines,
    sessionBucket: random.chance(0.85) ? random.pick(SESSION_BUCKETS) : null,
    net: random.chance(0.85) ? common(random, NETS) : null,
    playersMin: 1,
    playersMax: players,
    authorship: random.chance(0.7) ? common(random, AUTHORSHIPS) : null,
    aiUses: random.chance(0.15) ? random.draw(AI_USES, 1 + random.below(2)) : [],
    ...(parent ?? NO_PARENT),
    modSettings: MODDING_TYPES.includes(assetType)
      ? { install_path: 'mods', loader: null, instructions: null }
      : null,
    engineCompat:
      parent || assetType === 'dev_asset' ? engines.map((engine) => inventRange(engine, random)) : [],
    createdAt: new Date(publishedAt.getTime() - 30 * DAY_MS),
    updatedAt,
    publishedAt: visibility === 'public' ? publishedAt : null,
    publicSince: visibility === 'public' ? publishedAt : null,
    accessibility: random.chance(0.4) ? commonSome(random, ACCESSIBILITY, 1 + random.below(5)) : [],
    languages: random.chance(0.7) ? inventLanguages(random) : [],
  }
  return { row, owner }
}

/** Properties that decide whether a listing can be a parent; drawn first, so `inventParent` can repeat it. */
function inventKind(number: number, random: Random) {
  const assetType = number < LISTINGS_PER_DEVELOPER ? 'game' : random.pick(TYPES)
  const visibility = random.chance(0.96) ? ('public' as const) : ('invisible' as const)
  return { assetType, visibility, adult: random.chance(0.03) }
}

function inventTags(random: Random): string[] {
  const tags = commonSome(random, TAGS, 3 + random.below(10))
  return tags.length < 3 ? random.draw(TAGS, 3) : tags
}

const NO_PARENT = { parentUid: null, parentExternalName: null, parentExternalUrl: null }

/** Returns an earlier public game or application, or sometimes an external one. */
function inventParent(
  number: number,
  random: Random,
): typeof NO_PARENT | Record<keyof typeof NO_PARENT, string | null> {
  for (let tries = 0; tries < 8; tries += 1) {
    const candidate = random.below(number)
    const { assetType, visibility, adult } = inventKind(candidate, createRandom(`listing ${candidate}`))
    if (PARENT_TYPES.includes(assetType) && visibility === 'public' && !adult) {
      return { ...NO_PARENT, parentUid: uidOf(candidate) }
    }
  }
  const name = inventName(random)
  return {
    ...NO_PARENT,
    parentExternalName: name,
    parentExternalUrl: `https://${slugify(name, 40)}.example/`,
  }
}

function inventRange(engine: string, random: Random): EngineRange {
  const major = 1 + random.below(4)
  const minor = random.below(5)
  const max = random.chance(0.3) ? `${major}` : `${major}.${minor + random.below(4)}`
  return {
    engine,
    min_version: `${major}.${minor}`,
    max_version: max,
    renderer: random.chance(0.2) ? random.pick(['gl-compatibility', 'forward-plus', 'mobile']) : null,
    platform: random.chance(0.2) ? random.pick(['windows', 'linux', 'macos', 'web']) : null,
  }
}

function uidOf(number: number): string {
  return seededUid(new Date(FIRST_MOMENT + number * 1000), createRandom(`id ${number}`))
}

function ownerOf(number: number): BulkOwner {
  return { number, uid: seededUid(new Date(FIRST_MOMENT + number), createRandom(`developer ${number}`)) }
}

/** Picks early items of a list far more often than late ones. */
function common<Item>(random: Random, items: readonly Item[]): Item {
  const item = items[Math.floor(items.length * random.next() ** 2.4)]
  if (item === undefined) throw new Error('Nothing to choose from')
  return item
}

function inventLanguages(random: Random): LanguageSupport[] {
  return commonSome(random, LANGUAGES, 1 + random.below(6)).map((language) => ({
    language,
    interface: true,
    audio: random.chance(0.3),
    subtitles: random.chance(0.5),
  }))
}

/** Picks up to `count` different items, early ones more often; repeated picks count once. */
function commonSome<Item>(random: Random, items: readonly Item[], count: number): Item[] {
  return [...new Set(Array.from({ length: count }, () => common(random, items)))]
}

const NAMES = [
  '{Adjective} {Noun}',
  'The {Adjective} {Noun}',
  '{Noun} of the {Adjective} {Noun}',
  '{Noun} & {Noun}',
  'Beyond the {Adjective} {Noun}',
  '{Adjective} {Noun}: {Noun} Days',
  'My {Adjective} {Noun}',
  '{Noun} {Noun} 2',
] as const

function inventName(random: Random): string {
  return fillIn(random, common(random, NAMES))
}

function inventTagline(random: Random): string {
  return fillIn(random, random.pick(SENTENCES))
}

/** Returns a few paragraphs; the length varies by page. */
function inventDescription(random: Random): string {
  const paragraphs = 2 + Math.floor(7 * random.next() ** 3)
  return Array.from({ length: paragraphs }, () =>
    Array.from({ length: 3 + random.below(4) }, () => fillIn(random, random.pick(SENTENCES))).join(' '),
  ).join('\n\n')
}

/** Patterns split into alternating texts and blanks. There are few patterns, so each is split only once. */
const parsed = new Map<string, readonly string[]>()

function fillIn(random: Random, pattern: string): string {
  const parts = parsed.get(pattern) ?? pattern.split(/\{(adjective|noun)\}/i)
  parsed.set(pattern, parts)
  return parts.map((part, index) => (index % 2 === 0 ? part : inventWord(random, part))).join('')
}

/** Picks a word of the kind; it is capitalised if the kind is. */
function inventWord(random: Random, kind: string): string {
  const word = random.pick(kind === 'noun' || kind === 'Noun' ? NOUNS : ADJECTIVES)
  return kind === 'Noun' || kind === 'Adjective' ? word.slice(0, 1).toUpperCase() + word.slice(1) : word
}

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

const ADJECTIVES = words(`
amber ancient ashen autumn bitter brave brazen bright broken buried clever clockwork cloudy cobalt coral crimson crooked
curious dapper deep distant drifting dusty electric endless emerald fallen feral final floating forgotten frozen gentle
gilded glass golden grey hidden hollow humble hungry idle infinite iron ivory jagged jolly kindled last lazy little lonely
lost lucky lunar marble merry midnight mighty misty mossy muddy nameless neon nimble noble northern obsidian odd paper
patient pixel plum polite proud quiet ragged rapid restless rolling rusty salty sandy scarlet secret shady silent silver
sleepy slow small solar solemn southern spiral spotted starlit static stolen stormy stubborn sunken swift tangled tidy
tiny tired twin umber unlikely velvet violet wandering warm wicked wild windy winter wooden woven yellow`)

const NOUNS = words(`
abbey acorn alley anchor anvil archive arrow atlas attic badger balcony banner barge basin beacon bell bicycle blossom
bridge bureau button cabin cactus canal canyon caravan castle cellar chapel choir circuit citadel clearing cloud coast
comet compass copper corridor courier crater crown dagger delta desert diner dragon drum dune echo ember engine falcon
farm ferry field fjord forest forge fort fountain fox frontier galaxy garden garrison gate ghost giant glacier grove
guild harbour harvest hedge heron hollow horizon hotel island jungle kettle kingdom kite knight labyrinth ladder lagoon
lantern library lighthouse locket machine mansion map market marsh meadow meteor mill mine mirror monastery moon moth
mountain museum nebula nest oasis observatory ocean office opera orbit orchard outpost owl palace parade parlour pearl
penguin pilot planet plaza pocket port prairie quarry quilt radio raft railway raven reef relic ridge river robot rocket
ruin saddle sailor saloon satellite school shadow shelter shore signal snail sparrow spire stable station summit swamp
tavern teapot temple theatre thicket throne tide tower train treehouse tundra tunnel valley vault village violin voyage
wagon warden waterfall whale willow windmill wizard wolf workshop yard zeppelin`)

/** Most common first, as in real catalogs. */
const TAGS = words(`
singleplayer 2d pixel-art multiplayer retro story-rich cozy atmospheric co-op short funny casual 3d roguelite crafting
exploration difficult relaxing open-world procedural choices-matter local-multiplayer turn-based fantasy sci-fi dark cute
colorful hand-drawn game-jam physics moddable base-building minimalist first-person space survival narrative puzzle music
dungeon top-down side-scroller anime post-apocalyptic zombies deckbuilder farming fishing romance time-travel stealth
hex-grid tactics bullet-hell metroidvania speedrun low-poly voxel isometric text-based mystery detective noir cyberpunk
steampunk medieval vikings pirates samurai ninjas robots dinosaurs dragons magic witches vampires ghosts aliens cats dogs
birds insects ocean underwater desert winter forest city trains cars planes ships submarines trucks logistics automation
economy politics history war diplomacy trading cooking baking gardening animals nature weather education science math
words language typing rhythm dance sports football tennis golf skating cycling climbing boxing wrestling chess board-game
tabletop party family kids couch-coop online-coop pvp pve battle-royale arena tower-defense idle clicker incremental
simulation management tycoon life-sim dating-sim walking-simulator horror psychological gore thriller comedy satire drama
tragedy experimental abstract surreal dreamlike meditative emotional wholesome accessible colorblind-friendly one-button
touch-friendly controller vr motion-controls split-screen asynchronous play-by-mail cross-platform open-source early-access
tileset sprites characters textures shaders sound-effects ui fonts plugin library netcode dialogue tools level-editor`)

const ENGINES = words(`godot custom bevy love2d phaser defold renpy raylib twine monogame pygame heaps`)

const SENTENCES = [
  'You wake in a {adjective} {noun} with nothing but a {noun} and a promise.',
  'Every {noun} remembers the {adjective} {noun} that stood here before.',
  'Build your own {noun}, trade with the {adjective} {noun}, and keep one eye on the {noun}.',
  'There is no map: the {noun} is drawn by the way you walk through the {adjective} {noun}.',
  'Up to four friends can share one {noun}, which is one more than it was made for.',
  'The {adjective} {noun} changes with the hour, and so do its rules.',
  'A run takes about as long as a cup of tea in a {adjective} {noun}.',
  'Listen to the {noun}; it tells you where the {noun} will be tomorrow.',
  'We drew each {noun} by hand and most of them twice.',
  'Nothing in the {adjective} {noun} is there by chance, except for the {noun}.',
  'Choose between the {noun} and the {noun}, and live with it until the {adjective} morning.',
  'It began as a joke about a {noun} and became a {adjective} {noun} of its own.',
  'Find all ninety-nine pieces of the {adjective} {noun} before the {noun} does.',
  'Your {noun} can be repaired, painted, lost and, with some luck, found again.',
  'The {noun} is patient. The {noun} is not.',
  'Mods can replace every {noun}, every rule and the entire {adjective} {noun}.',
  'Some say the {adjective} {noun} was a {noun} once; the soundtrack agrees.',
  'Play it with a pad, a mouse, or one finger on a {adjective} evening.',
  'Behind the {noun} there is another {noun}, and it is {adjective}.',
  'Thank you to everyone who tested the {adjective} {noun}, especially the {noun}.',
] as const
