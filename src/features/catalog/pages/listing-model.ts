import { t } from 'elysia'

import { OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { LICENSE_KINDS } from '../../../domain/listings/licenses.ts'
import { DEPENDENCY_KINDS } from '../../../domain/listings/listing.ts'
import { Integer, Moment, OneOf, Uid } from '../../../http/input/schema.ts'
import { ModCompat } from '../../builds/mod-compat/model.ts'
import { appFields } from '../../builds/model.ts'
import { ScanEngine } from '../../builds/registry/model.ts'
import { ChangelogEntry } from '../../listings/changelog/model.ts'
import { Image } from '../../listings/images/model.ts'
import { Edition } from '../../listings/pricing/model.ts'
import { StoreLink } from '../../listings/store-links/model.ts'
import { AssetType, SCAN_STATES, SharedFields, VanityName } from './model.ts'

/** A popular asset pack has more dependents than a page can show. */
export const USED_BY_MAX = 50
export const CHANGELOG_SHOWN = 10

const EngineCompat = t.Array(
  t.Object({
    engine: t.String({ examples: ['godot'] }),
    min_version: t.String({ examples: ['4.1'] }),
    max_version: t.String({ examples: ['4.3'] }),
    renderer: t.Nullable(t.String()),
    platform: t.Nullable(OneOf(OPERATING_SYSTEMS)),
  }),
)

const Relation = t.Object(
  {
    kind: OneOf(DEPENDENCY_KINDS),
    uid: Uid,
    vanity_name: VanityName,
    name: t.String(),
    asset_type: AssetType,
  },
  { $id: 'Relation' },
)

const Relations = t.Object({ uses: t.Array(Relation), used_by: t.Array(Relation) })
export type Relations = typeof Relations.static

const SimilarTitle = t.Object({
  uid: Uid,
  vanity_name: VanityName,
  name: t.String(),
  asset_type: AssetType,
  tagline: t.String(),
  cover: t.Nullable(Image),
})
export type SimilarTitle = typeof SimilarTitle.static

const ModSettings = t.Object({
  install_path: t.Nullable(t.String({ examples: ['mods/lanterns'] })),
  loader: t.Nullable(t.String()),
  instructions: t.Nullable(t.String({ description: 'Markdown, as written.' })),
  instructions_html: t.Nullable(t.String()),
})
export type ShownModSettings = typeof ModSettings.static

const WebPlayer = t.Object({
  url: t.String({ format: 'uri', description: 'The page on which it is played.' }),
  width: Integer({ examples: [960] }),
  height: Integer({ examples: [600] }),
  isolation: t.Boolean({ description: 'Whether threads and shared memory work.' }),
  mobile: t.Boolean(),
  bytes: Integer({ minimum: 0, description: 'The size of the whole build.' }),
  build_id: Uid,
  version: t.String(),
})
export type ShownWebPlayer = typeof WebPlayer.static

export const PublicFile = t.Object(
  {
    file_uid: Uid,
    filename: t.String(),
    size: Integer({ minimum: 0 }),
    checksum: t.String({ description: 'SHA-256 in hex.' }),
    ...appFields,
    os: OneOf(OPERATING_SYSTEMS),
    arch: t.String(),
    channel: t.String(),
    version: t.String(),
    build_id: Uid,
    scan: OneOf(SCAN_STATES),
    scan_engine: ScanEngine,
    uploaded_at: Moment,
    apk: t.Boolean({
      description: 'Whether the only .apk inside an Android build can be downloaded by itself: `?as=apk`.',
    }),
  },
  { $id: 'PublicFile' },
)
export type PublicFile = typeof PublicFile.static

export const Listing = t.Object(
  {
    ...SharedFields.properties,
    description: t.String({ description: 'Markdown, as written.' }),
    description_html: t.String(),
    website: t.Nullable(t.String({ format: 'uri' })),
    editions: t.Array(Edition),
    gallery: t.Array(Image),
    pay_more: t.Boolean({
      description: 'Whether buyers may choose to pay more, and players something for a free listing.',
    }),
    anonymous_downloads: t.Boolean(),
    engine_compat: EngineCompat,
    relations: Relations,
    mod_compat: t.Nullable(ModCompat, {
      description: 'Only for mods and plugins of a game of this store.',
    }),
    mod_settings: t.Nullable(ModSettings, { description: 'Only for mods and plugins.' }),
    web_player: t.Nullable(WebPlayer, { description: 'Null where it cannot be played in the browser.' }),
    store_links: t.Array(StoreLink),
    files: t.Array(PublicFile, { description: 'Of the game itself first, then of its other apps.' }),
    similar_titles: t.Array(SimilarTitle),
    changelog: t.Array(ChangelogEntry, { description: `The newest ${CHANGELOG_SHOWN} entries.` }),
  },
  { $id: 'Listing' },
)
export type Listing = typeof Listing.static

export const RelationsOnly = t.Object({
  license_kind: t.Nullable(OneOf(LICENSE_KINDS)),
  engine_compat: EngineCompat,
  relations: Relations,
})
export type RelationsOnly = typeof RelationsOnly.static
