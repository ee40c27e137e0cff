import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import { Value } from '@sinclair/typebox/value'

import { TICKET_SOURCES, TICKET_STATUSES } from '../domain/bugs.ts'
import { OPERATING_SYSTEMS } from '../domain/builds/platforms.ts'
import { JAM_VOTERS } from '../domain/jams.ts'
import { ACCESSIBILITY } from '../domain/listings/accessibility.ts'
import {
  AI_USES,
  AUTHORSHIPS,
  CONTENT_WARNINGS,
  GENRES,
  INPUTS,
  NETS,
  SESSION_BUCKETS,
  TONES,
} from '../domain/listings/fields.ts'
import { ASSET_TYPES, LICENSE_KINDS, STATUSES } from '../domain/listings/listing.ts'
import { VISIBILITIES } from '../domain/listings/visibility.ts'
import { POST_KINDS, POST_STATES } from '../domain/posts.ts'
import { REPORT_REASONS } from '../domain/reports.ts'
import { PressKit } from '../features/listings/press/model.ts'
import { Integer, OneOf } from '../http/input/schema.ts'
import tickets from './bugs.json'
import community from './community.json'
import jams from './jams.json'
import applications from './listings/applications.json'
import arcade from './listings/arcade.json'
import assets from './listings/assets.json'
import mods from './listings/mods.json'
import oddities from './listings/oddities.json'
import plugins from './listings/plugins.json'
import riddles from './listings/riddles.json'
import stories from './listings/stories.json'
import tools from './listings/tools.json'
import unlisted from './listings/unlisted.json'
import worlds from './listings/worlds.json'
import moderation from './moderation.json'
import people from './people.json'

/** The first two are demo accounts and can sign in. */
export const DEVELOPERS = people.developers
/** Players who review the listings. The first one can sign in. */
export const PLAYERS = people.players

type DeveloperName = keyof typeof DEVELOPERS
type PlayerName = keyof typeof PLAYERS
export const PLAYER_NAMES = Object.keys(PLAYERS) as [PlayerName, ...PlayerName[]]

const Player = OneOf(PLAYER_NAMES)
const Developer = OneOf(Object.keys(DEVELOPERS) as [DeveloperName, ...DeveloperName[]])
const Facts = <Fields extends TProperties>(fields: Fields) =>
  Type.Object(fields, { additionalProperties: false })
const maybe = Type.Optional
const Text = Type.String()
const Texts = Type.Array(Text)
const Nullable = <Schema extends TSchema>(schema: Schema) => Type.Union([schema, Type.Null()])

const OtherApp = Facts({ slug: Text, name: Text, systems: Type.Array(OneOf(OPERATING_SYSTEMS)) })
export type DemoApp = typeof OtherApp.static

/** What a system needs. */
const DemoRequirement = Facts({ minimum: Text, recommended: Nullable(Text) })

/** A listing of the `listings/` files, which reference each other by vanity name. Most fields are columns. */
const DemoListing = Facts({
  vanityName: Text,
  name: Text,
  by: Developer,
  assetType: OneOf(ASSET_TYPES),
  tagline: Text,
  /** Lines of Markdown. */
  description: Texts,
  daysAgo: Integer(),
  /** The folder of its pictures: the cover has the name of the listing. */
  colours: Text,
  /** The gallery. */
  screens: maybe(Texts),
  tags: Texts,
  genres: maybe(Type.Array(OneOf(GENRES))),
  tone: maybe(Type.Array(OneOf(TONES))),
  inputs: maybe(Type.Array(OneOf(INPUTS))),
  contentWarnings: maybe(Type.Array(OneOf(CONTENT_WARNINGS))),
  engines: maybe(Texts),
  sessionBucket: maybe(OneOf(SESSION_BUCKETS)),
  net: maybe(OneOf(NETS)),
  players: maybe(Type.Tuple([Integer(), Integer()])),
  authorship: maybe(OneOf(AUTHORSHIPS)),
  authorshipCredit: maybe(Text),
  aiUses: maybe(Type.Array(OneOf(AI_USES))),
  accessibility: maybe(Type.Array(OneOf(ACCESSIBILITY))),
  languages: maybe(
    Type.Array(
      Facts({
        language: Text,
        interface: Type.Boolean(),
        audio: Type.Boolean(),
        subtitles: Type.Boolean(),
      }),
    ),
  ),
  requirements: maybe(
    Type.Partial(Facts({ windows: DemoRequirement, macos: DemoRequirement, linux: DemoRequirement }), {
      additionalProperties: false,
    }),
  ),
  /** A file of the folder of videos. */
  trailer: maybe(Text),
  /** Public by default. */
  visibility: maybe(OneOf(VISIBILITIES)),
  /** Released by default. */
  status: maybe(OneOf(STATUSES)),
  website: maybe(Text),
  adult: maybe(Type.Boolean()),
  indexable: maybe(Type.Boolean()),
  priceCents: maybe(Integer()),
  editions: maybe(Type.Array(Facts({ name: Text, priceCents: Integer(), active: maybe(Type.Boolean()) }))),
  anonymousDownloads: maybe(Type.Boolean()),
  licenseKind: maybe(OneOf(LICENSE_KINDS)),
  parent: maybe(Type.Union([Text, Facts({ name: Text, url: Text })])),
  modSettings: maybe(Facts({ install_path: Text, loader: Nullable(Text), instructions: Nullable(Text) })),
  engineCompat: maybe(
    Type.Array(
      Facts({
        engine: Text,
        min_version: Text,
        max_version: Text,
        renderer: Nullable(Text),
        platform: Nullable(OneOf(OPERATING_SYSTEMS)),
      }),
    ),
  ),
  storeLinks: maybe(Type.Array(Facts({ platform: Text, url: Text }))),
  uses: maybe(Texts),
  supports: maybe(Texts),
  madeWith: maybe(Texts),
  similar: maybe(Texts),
  changelog: maybe(Type.Array(Facts({ title: Text, body: Text, version: Text, daysAgo: Integer() }))),
  /** The newest release, whose builds write the changelog entry. */
  release: maybe(
    Facts({
      version: Text,
      title: Text,
      daysAgo: Integer(),
      changes: Type.Array(Facts({ title: Text, description: Text })),
    }),
  ),
  /** Programs besides the game, released with it. */
  otherApps: maybe(Type.Array(OtherApp)),
  press: maybe(Type.Partial(PressKit, { additionalProperties: false })),
  admins: maybe(Type.Array(Facts({ who: Type.Union([Developer, Player]), accepted: Type.Boolean() }))),
  reviews: maybe(
    Type.Array(
      Facts({
        by: Player,
        rating: Integer({ minimum: 1, maximum: 5 }),
        minutes: Integer(),
        daysAgo: Integer(),
        text: Text,
      }),
    ),
  ),
  /** How many players suggested each tag; three make it visible. */
  suggestedTags: maybe(Type.Record(Text, Integer())),
  /** Suggested tags that the developer hides. */
  hiddenTags: maybe(Texts),
})
export type DemoListing = typeof DemoListing.static

export const DEMO_LISTINGS = parseData(Type.Array(DemoListing), [
  ...stories,
  ...arcade,
  ...worlds,
  ...riddles,
  ...oddities,
  ...applications,
  ...tools,
  ...mods,
  ...plugins,
  ...assets,
  ...unlisted,
])
export const DEMO_NAMES: readonly string[] = DEMO_LISTINGS.map(({ vanityName }) => vanityName)

const DemoTicket = Facts({
  by: Player,
  daysAgo: Integer(),
  message: Text,
  source: OneOf(TICKET_SOURCES),
  status: OneOf(TICKET_STATUSES),
  version: maybe(Text),
  os: maybe(OneOf(OPERATING_SYSTEMS)),
  log: maybe(Text),
  /** The picture of the screenshot. */
  screen: maybe(Text),
  fixedIn: maybe(Text),
  /** The developer's notes, oldest first. */
  notes: maybe(Texts),
  /** HTTP statuses of the webhook's attempts, oldest first; null for no answer. */
  attempts: Type.Array(Nullable(Integer())),
})
export type DemoTicket = typeof DemoTicket.static
export const DEMO_TICKETS = parseData(Type.Array(DemoTicket), tickets)

const DemoReport = Facts({
  about: Text,
  by: Player,
  reason: OneOf(REPORT_REASONS),
  text: Text,
  daysAgo: Integer(),
})
/** What players reported about the listings. */
export const REPORTS = parseData(Type.Array(DemoReport), moderation.reports)
/** A build that its scan refused, so that it was never offered. */
export const { refusedBuild: REFUSED_BUILD } = moderation

const DemoPost = Facts({
  game: Text,
  slug: Text,
  title: Text,
  kind: OneOf(POST_KINDS),
  /** Published by default. */
  state: maybe(OneOf(POST_STATES)),
  daysAgo: Integer(),
  pinned: maybe(Type.Boolean()),
  /** The folder and name of a picture. */
  picture: maybe(Text),
  markdown: Texts,
})
export const POSTS = parseData(Type.Array(DemoPost), community.posts)

const DemoAnswer = Facts({ game: Text, reviewer: Player, daysAgo: Integer(), text: Text })
/** What developers answered to reviews. */
export const ANSWERS = parseData(Type.Array(DemoAnswer), community.answers)

const DemoPriceCut = Facts({ game: Text, oldCents: Integer(), daysAgo: Integer() })
/** What listings cost before. */
export const PRICE_CUTS = parseData(Type.Array(DemoPriceCut), community.priceCuts)

const DemoFollower = Facts({
  who: Player,
  /** Since when. */
  daysAgo: Integer(),
  games: Texts,
  developers: Type.Array(Developer),
  /** In their order; the price is what it cost then, today's by default. */
  wishes: Type.Array(Facts({ game: Text, wishedPriceCents: maybe(Integer()) })),
})
export const FOLLOWERS = parseData(Type.Array(DemoFollower), community.followers)

const DemoJam = Facts({
  slug: Text,
  title: Text,
  tagline: Text,
  theme: Text,
  /** The folder and name of a picture. */
  cover: Text,
  hosts: Type.Array(Developer),
  voters: OneOf(JAM_VOTERS),
  /** Days from now; negative ones have passed. */
  from: Integer(),
  until: Integer(),
  votingUntil: Integer(),
  types: Type.Array(OneOf(ASSET_TYPES)),
  text: Texts,
  criteria: Type.Array(Facts({ name: Text, text: Text, primary: Type.Boolean() })),
  minRatings: Integer(),
  /** `skill`: the stars that most people give it. `comments`: what its first voters wrote for everyone. */
  entries: Type.Array(
    Facts({
      game: Text,
      note: Text,
      skill: Type.Number(),
      prizes: maybe(Type.Array(Facts({ title: Text, text: Text }))),
      comments: maybe(Texts),
    }),
  ),
})
export type DemoJam = typeof DemoJam.static
export const DEMO_JAMS = parseData(Type.Array(DemoJam), jams)

/** Checks the data files against their schemas when they are loaded. */
function parseData<Schema extends TSchema>(schema: Schema, data: unknown): Static<Schema> {
  return Value.Parse(['Assert'], schema, data)
}
