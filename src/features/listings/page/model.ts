import { t, type TSchema } from 'elysia'

import { OPERATING_SYSTEMS, type OperatingSystem } from '../../../domain/builds/platforms.ts'
import { type TaxonomyField } from '../../../domain/listings/field-kinds.ts'
import { mapFields, TAXONOMY, type TaxonomyName } from '../../../domain/listings/fields.ts'
import { ASSET_TYPES, DEPENDENCY_KINDS, LICENSE_KINDS, STATUSES } from '../../../domain/listings/listing.ts'
import { VISIBILITIES } from '../../../domain/listings/visibility.ts'
import { WEB_PLAYER_SIZES } from '../../../domain/listings/web-player.ts'
import {
  Integer,
  Joined,
  Moment,
  OneOf,
  ReadOnly,
  Strict,
  Uid,
  writable,
} from '../../../http/input/schema.ts'
import { NAME_MAX } from '../../../lib/text/names.ts'
import { Developer } from '../../accounts/profile/model.ts'
import { Image } from '../images/model.ts'
import { Video } from '../videos/model.ts'

export const TAGLINE_MAX = 140
export const DESCRIPTION_MAX = 50_000
export const WEBSITE_MAX = 255
/** Drafts per account. A withdrawn page counts too, but withdrawing a page is never refused. */
export const DRAFTS_MAX = 50
export const SIMILAR_TITLES_MAX = 10
export const VANITY_MIN = 3
export const VANITY_MAX = 64
export const VANITY_PATTERN = `^[a-z0-9][a-z0-9-]{${VANITY_MIN - 2},${VANITY_MAX - 2}}[a-z0-9]$`

const { width, height } = WEB_PLAYER_SIZES

const webPlayerFields = {
  width: Integer({ minimum: width.min, maximum: width.max }),
  height: Integer({ minimum: height.min, maximum: height.max }),
  isolation: t.Boolean(),
  autostart: t.Boolean(),
  signed_out: t.Boolean(),
  mobile: t.Boolean(),
  downloadable: t.Boolean({ description: 'Whether its page also offers the web build as a file.' }),
}

/** Fields that are left out get their defaults. */
export const WebPlayerInput = t.Partial(t.Object(webPlayerFields), { additionalProperties: false })
export type WebPlayerInput = typeof WebPlayerInput.static

const WebPlayer = t.Object(webPlayerFields, {
  description: 'How web builds are played; null for the defaults.',
})

const Saves = Strict({
  enabled: t.Boolean({ description: 'Whether players may keep saves in their accounts.' }),
})

/** A publication that waits for an operator. */
export const PendingPublication = t.Object({
  visibility: OneOf(VISIBILITIES, { description: 'What it stays meanwhile.' }),
  approval: t.Literal('pending'),
})

const Approval = t.Nullable(
  OneOf(['pending'] as const, { description: 'While its publication waits for an operator.' }),
)

const closed = { additionalProperties: false }
const maybe = <Schema extends Parameters<typeof t.Nullable>[0]>(schema: Schema) =>
  t.Optional(t.Nullable(schema))

/** Validated by the service, because these errors have a code of their own. */
const TaxonomyInput = mapFields(TAXONOMY, () => t.Optional(t.Unknown()))

/** Facts that answers include about another listing, beside its uid. */
const GameFacts = { vanity_name: ReadOnly, name: ReadOnly, asset_type: ReadOnly }

const ParentInput = t.Object(
  {
    game: t.Optional(t.String()),
    external_name: t.Optional(t.String()),
    external_url: t.Optional(t.String()),
    ...GameFacts,
  },
  closed,
)
export type ParentInput = typeof ParentInput.static

const ModSettingsInput = t.Object(
  {
    install_path: t.Optional(t.Unknown()),
    loader: t.Optional(t.Unknown()),
    instructions: t.Optional(t.Unknown()),
  },
  closed,
)
export type ModSettingsInput = typeof ModSettingsInput.static

/** The listing is `game` (a uid or vanity name), or `uid` as in answers. */
const DependencyInput = t.Object(
  { kind: OneOf(DEPENDENCY_KINDS), game: t.Optional(t.String()), uid: t.Optional(t.String()), ...GameFacts },
  closed,
)
export type DependencyInput = typeof DependencyInput.static

/** A uid or vanity name, or an object as in answers. */
const SimilarTitleInput = t.Union([t.String(), t.Object({ uid: t.String(), ...GameFacts }, closed)], {
  error: 'must be the uid or vanity name of a public game, or an object with its uid',
})
export type SimilarTitleInput = typeof SimilarTitleInput.static

const EngineRangeInput = t.Object(
  {
    engine: t.String(),
    min_version: t.String(),
    max_version: t.String(),
    renderer: maybe(t.String()),
    platform: maybe(OneOf(OPERATING_SYSTEMS)),
  },
  closed,
)
export type EngineRangeInput = typeof EngineRangeInput.static

const Name = t.String({
  minLength: 1,
  maxLength: NAME_MAX,
})
const AssetType = OneOf(ASSET_TYPES)

const ListingFields = {
  vanity_name: t.Optional(
    t.String({
      pattern: VANITY_PATTERN,
      error: `must have ${VANITY_MIN} to ${VANITY_MAX} characters of a-z, 0-9 and -, and start and end with a letter or digit`,
    }),
  ),
  tagline: maybe(t.String({ maxLength: TAGLINE_MAX })),
  description: maybe(t.String({ maxLength: DESCRIPTION_MAX })),
  status: maybe(OneOf(STATUSES)),
  website: maybe(t.String()),
  adult: maybe(t.Boolean()),
  indexable: maybe(t.Boolean()),
  price_cents: maybe(Integer()),
  pay_more: maybe(t.Boolean()),
  license_kind: maybe(OneOf(LICENSE_KINDS)),
  parent: maybe(ParentInput),
  mod_settings: maybe(ModSettingsInput),
  web_player: maybe(WebPlayerInput),
  saves: maybe(Saves),
  similar_titles: maybe(t.Array(SimilarTitleInput)),
  dependencies: maybe(t.Array(DependencyInput)),
  engine_compat: maybe(t.Array(EngineRangeInput)),
  ...TaxonomyInput,
}

export const ListingInput = t.Object({ name: Name, asset_type: AssetType, ...ListingFields }, closed)
export type ListingInput = typeof ListingInput.static

export const ListingPatch = t.Object(
  { name: t.Optional(Name), asset_type: t.Optional(AssetType), ...ListingFields },
  closed,
)
export type ListingPatch = typeof ListingPatch.static

export const VisibilityInput = t.Object({ visibility: OneOf(VISIBILITIES) }, closed)

export const LanguageSupport = t.Object(
  {
    language: t.String({ description: 'A BCP 47 tag.', examples: ['pt-BR'] }),
    interface: t.Boolean(),
    audio: t.Boolean(),
    subtitles: t.Boolean(),
  },
  { $id: 'LanguageSupport' },
)

export const EngineCompat = t.Array(
  t.Object({
    engine: t.String({ examples: ['godot'] }),
    min_version: t.String({ examples: ['4.1'] }),
    max_version: t.String({ examples: ['4.3'] }),
    renderer: t.Nullable(t.String()),
    platform: t.Nullable(OneOf(OPERATING_SYSTEMS)),
  }),
)

export const ModSettings = t.Object({
  install_path: t.Nullable(t.String({ examples: ['mods/lanterns'] })),
  loader: t.Nullable(t.String()),
  instructions: t.Nullable(t.String({ description: 'Markdown, as written.' })),
})

const Level = t.Nullable(t.String({ examples: ['4 GB of memory'] }))
const Requirement = t.Object({ minimum: Level, recommended: Level })
const requirementOf = Object.fromEntries(OPERATING_SYSTEMS.map((os) => [os, Requirement]))
export const Requirements = t.Partial(
  t.Object(requirementOf as Record<OperatingSystem, typeof Requirement>),
  { $id: 'Requirements', description: 'Per operating system, as far as the developer stated them.' },
)

const TAXONOMY_SCHEMAS = {
  choice: t.Nullable(t.String()),
  choices: t.Array(t.String()),
  slugs: t.Array(t.String()),
  number: t.Nullable(Integer()),
  line: t.Nullable(t.String()),
  languages: t.Array(LanguageSupport),
  requirements: Requirements,
}
const Taxonomy = mapFields<TaxonomyName, TaxonomyField, TSchema>(
  TAXONOMY,
  ({ kind }) => TAXONOMY_SCHEMAS[kind],
) as { [Name in TaxonomyName]: (typeof TAXONOMY_SCHEMAS)[(typeof TAXONOMY)[Name]['kind']] }

const GameRef = t.Object({ uid: Uid, vanity_name: t.String(), name: t.String(), asset_type: AssetType })
const Role = OneOf(['owner', 'admin'] as const)

const TakenDown = t.Nullable(
  t.Object({ at: Moment, reason: t.String() }, { description: 'While the operators have taken it down.' }),
)

/** One row of the dashboard. */
export const ListingSummary = t.Object({
  uid: Uid,
  vanity_name: t.String(),
  name: t.String(),
  asset_type: AssetType,
  visibility: OneOf(VISIBILITIES),
  taken_down: TakenDown,
  approval: Approval,
  status: OneOf(STATUSES),
  price_cents: Integer(),
  role: Role,
  url: t.String(),
  cover: t.Nullable(Image),
  created_at: Moment,
  updated_at: Moment,
  published_at: t.Nullable(Moment),
})
export type ListingSummary = typeof ListingSummary.static

/** A listing as owner and admins see it: flat, with the names of the fields they edit. */
export const EditableListing = t.Object({
  uid: Uid,
  owner: Developer,
  role: Role,
  visibility: OneOf(VISIBILITIES),
  taken_down: TakenDown,
  approval: Approval,
  url: t.String(),
  name: t.String(),
  asset_type: AssetType,
  vanity_name: t.String(),
  tagline: t.String(),
  description: t.String(),
  status: OneOf(STATUSES),
  website: t.Nullable(t.String()),
  adult: t.Boolean(),
  indexable: t.Boolean(),
  price_cents: Integer(),
  pay_more: t.Boolean(),
  anonymous_downloads: t.Boolean(),
  license_kind: t.Nullable(OneOf(LICENSE_KINDS)),
  ...Taxonomy,
  parent: t.Nullable(
    t.Union([
      t.Object(
        {
          game: Uid,
          vanity_name: t.Nullable(t.String()),
          name: t.Nullable(t.String()),
          asset_type: t.Nullable(AssetType),
        },
        { description: 'All fields but the uid are null while you cannot see the parent.' },
      ),
      t.Object({ external_name: t.String(), external_url: t.String() }),
    ]),
  ),
  mod_settings: t.Nullable(ModSettings),
  web_player: t.Nullable(WebPlayer),
  saves: Saves,
  similar_titles: t.Array(GameRef),
  dependencies: t.Array(Joined([t.Object({ kind: OneOf(DEPENDENCY_KINDS) }), GameRef])),
  engine_compat: EngineCompat,
  cover: t.Nullable(Image),
  thumbnail: t.Nullable(Image),
  gallery: t.Array(Image),
  videos: t.Array(Video),
  counts: t.Object({
    admins: Integer(),
    editions: Integer(),
    children: Integer(),
    licenses: Integer(),
    reviews: Integer(),
  }),
  created_at: Moment,
  updated_at: Moment,
  published_at: t.Nullable(Moment),
})
export type EditableListing = typeof EditableListing.static
export const ListingEdit = writable(ListingPatch, EditableListing)
