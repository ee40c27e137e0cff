import { t } from 'elysia'

import { CHANNEL_PATTERN } from '../../../domain/builds/channels.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { JAM_REF_MAX } from '../../../domain/jams/entries.ts'
import { SLUG_MAX, SLUG_PATTERN } from '../../../domain/listings/slugs.ts'
import { Integer, Joined, OneOf, Uid } from '../../../http/input/schema.ts'
import { appFields } from '../../builds/model.ts'
import { Launch, SaveFiles } from '../../builds/registry/model.ts'
import { LibraryItem } from '../../community/library/model.ts'

const target = {
  channel: t.String({ examples: ['stable'] }),
  app: appFields.app,
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
  version: t.String({ examples: ['1.2.0'] }),
  build_id: Uid,
}
const size = Integer({ minimum: 0, description: 'Of the zip.' })

export const InstallableBuild = t.Object({ ...target, file_uid: Uid, size })
export type InstallableBuild = typeof InstallableBuild.static

/** What a player owns, with the files that they may install of it. */
export const InstallableItem = Joined([LibraryItem, t.Object({ builds: t.Array(InstallableBuild) })])
export type InstallableItem = typeof InstallableItem.static

export const BuildsQuery = t.Object({
  channel: t.Optional(t.String({ pattern: CHANNEL_PATTERN, description: '`stable` unless given.' })),
  os: t.Optional(OneOf(OPERATING_SYSTEMS)),
  arch: t.Optional(OneOf(ARCHITECTURES)),
  app: t.Optional(t.String({ pattern: SLUG_PATTERN, maxLength: SLUG_MAX, examples: ['main'] })),
  jam: t.Optional(
    t.String({
      maxLength: JAM_REF_MAX,
      description: 'A jam by slug or uid: its version instead of a channel, for those who see the jam.',
      examples: ['lighthouse-jam'],
    }),
  ),
})
export type BuildsQuery = typeof BuildsQuery.static

export const InstallFile = t.Object({
  file_uid: Uid,
  filename: t.String({ examples: ['lantern-keeper-linux.zip'] }),
  size,
  checksum: t.String({ description: 'SHA-256 of the zip in hex.' }),
  blocks: t.Boolean({ description: 'Whether parts of its files can be fetched and unpacked alone.' }),
  installed_size: t.Nullable(
    Integer({
      minimum: 0,
      description: 'Of all its files; null for older files until their contents are read.',
    }),
  ),
  launch: Launch,
  saves: SaveFiles,
})

export const InstallBuild = t.Object({
  ...target,
  app_name: appFields.app_name,
  files: t.Array(InstallFile),
})
export type InstallBuild = typeof InstallBuild.static

export const InstallBuilds = t.Object({
  game: t.Object({ uid: Uid, vanity_name: t.String(), name: t.String() }),
  builds: t.Array(InstallBuild),
})
export type InstallBuilds = typeof InstallBuilds.static

/** Why a link is requested. Links expire, so one installation may need several: only its first is counted. */
export const REASONS = ['install', 'update', 'continue'] as const
export type Reason = (typeof REASONS)[number]

export const DownloadQuery = t.Object({
  for: t.Optional(
    OneOf(REASONS, {
      description:
        '`install` unless given. Both `install` and `update` are counted for the developer; `continue` gets another link for the same one.',
    }),
  ),
})
