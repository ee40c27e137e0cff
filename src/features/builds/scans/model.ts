import { t } from 'elysia'

import { SCAN_STATES, UPLOAD_SOURCES } from '../../../domain/builds/files.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { Integer, Joined, Moment, OneOf, PageQuery, Uid } from '../../../http/input/schema.ts'
import { RegisteredBuild, ScanEngine } from '../registry/model.ts'

export const ProvenanceQuery = Joined([
  PageQuery,
  t.Object({
    q: t.Optional(
      t.String({
        description: 'Only inner files with this in their path, or with this SHA-256.',
        examples: ['data/'],
      }),
    ),
  }),
])

const Sha256 = t.String({
  pattern: '^[0-9a-f]{64}$',
  examples: ['2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824'],
})

export const ENTRIES_PAGE_MAX = 1000

/** A client reads all of them, so the pages are larger than those of other lists. */
export const EntriesQuery = t.Object({
  page: t.Optional(t.String({ description: 'From 1.', examples: ['1'] })),
  page_size: t.Optional(
    t.String({
      description: `1 to ${ENTRIES_PAGE_MAX}, ${ENTRIES_PAGE_MAX} by default.`,
      examples: ['1000'],
    }),
  ),
})

export const PlacedEntries = t.Object({
  items: t.Array(
    t.Object({
      path: t.String({ examples: ['data/levels.pck'] }),
      size: Integer({ description: 'Unpacked.' }),
      sha256: Sha256,
      at: Integer({ description: 'Where the entry begins in the zip, at its local header.' }),
      length: Integer({ description: 'The bytes of header and packed content, up to the next entry.' }),
    }),
  ),
  total: Integer({ minimum: 0 }),
  page: Integer({ minimum: 1 }),
  page_size: Integer({ minimum: 1, maximum: ENTRIES_PAGE_MAX }),
})
export type PlacedEntries = typeof PlacedEntries.static

/** What the pipeline of a trusted publisher proved about itself; left out for other sources. */
const BuildOrigin = t.Partial(
  t.Object({
    repository: t.String({ examples: ['moss/garden'] }),
    commit: t.String({ examples: ['4f2a91c0d3b85e6f7a1b2c3d4e5f60718293a4b5'] }),
    commit_url: t.String({ description: 'The page of the commit.' }),
    ref: t.String({ examples: ['refs/tags/v1.2.0'] }),
    workflow: t.Nullable(
      t.String({ examples: ['moss/garden/.github/workflows/release.yml@refs/tags/v1.2.0'] }),
    ),
    run_url: t.Nullable(t.String({ description: 'The page of the run that built it.' })),
    builder: t.String({ examples: ['GitHub Actions'] }),
  }),
)

export const Provenance = t.Object({
  file_uid: Uid,
  filename: t.String({ examples: ['lantern-keeper-linux.zip'] }),
  size: Integer(),
  checksum: Sha256,
  uploaded_at: Moment,
  source: t.Object({
    kind: OneOf(UPLOAD_SOURCES),
    key_last4: t.Nullable(
      t.String({ description: "The last four characters of the deploy key's access token." }),
    ),
    ...BuildOrigin.properties,
  }),
  build: RegisteredBuild,
  scan: t.Object({
    state: OneOf(SCAN_STATES),
    engine: ScanEngine,
    history: t.Array(
      t.Object({
        at: Moment,
        state: OneOf(SCAN_STATES),
        engine: ScanEngine,
        detail: t.Nullable(t.String({ description: 'What was found, or why the scan failed.' })),
      }),
    ),
  }),
  entries: t.Array(
    t.Object({ path: t.String({ examples: ['data/levels.pck'] }), size: Integer(), sha256: Sha256 }),
    {
      description: 'The files inside the zip, once it is clean.',
    },
  ),
  entries_total: Integer({ minimum: 0 }),
  page: Integer({ minimum: 1 }),
  page_size: Integer({ minimum: 1 }),
})
export type Provenance = typeof Provenance.static

export const PublicFile = t.Object({
  file_uid: Uid,
  filename: t.String({ examples: ['lantern-keeper-linux.zip'] }),
  size: Integer(),
  checksum: Sha256,
  uploaded_at: Moment,
  game_uid: Uid,
  vanity_name: t.String({ examples: ['lantern-keeper'] }),
  name: t.String({ examples: ['Lantern Keeper'] }),
  build_id: Uid,
  version: t.String({ examples: ['1.2.0'] }),
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
})

export const FilesByChecksum = t.Object({ files: t.Array(PublicFile) })
export type FilesByChecksum = typeof FilesByChecksum.static
