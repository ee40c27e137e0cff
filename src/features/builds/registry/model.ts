import { t } from 'elysia'

import { BUILD_TYPE_DEFAULT } from '../../../domain/builds/build-fields.ts'
import { NO_ANTIVIRUS, SCAN_STATES } from '../../../domain/builds/files.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from '../../../domain/builds/platforms.ts'
import { SAVE_SYSTEMS } from '../../../domain/builds/save-patterns.ts'
import { Integer, Moment, OneOf, Uid } from '../../../http/input/schema.ts'
import { appFields } from '../model.ts'

const identity = {
  build_id: Uid,
  ...appFields,
  version: t.String({ examples: ['1.2.0'] }),
  build_type: t.String({ examples: [BUILD_TYPE_DEFAULT] }),
  os: OneOf(OPERATING_SYSTEMS),
  arch: OneOf(ARCHITECTURES),
  channel: t.String({ examples: ['stable'] }),
  title: t.String(),
  created_at: Moment,
  updated_at: Moment,
}

export const RegisteredBuild = t.Object(identity)
export type RegisteredBuild = typeof RegisteredBuild.static

export const ScanEngine = t.Nullable(
  t.String({
    description: `What scanned it last; "${NO_ANTIVIRUS}" for the built-in scanner.`,
    examples: ['ClamAV 1.4.6/27800/Thu Jan 29 07:24:17 2026'],
  }),
)

export const Launch = t.Nullable(
  t.Object({
    path: t.String({ description: 'The program to start, as its path in the zip.', examples: ['bin/game'] }),
    args: t.Optional(t.Array(t.String())),
  }),
)

export const SaveFiles = t.Nullable(
  t.Object(
    {
      slots: t.Record(
        t.String(),
        t.Partial(t.Object(Object.fromEntries(SAVE_SYSTEMS.map((system) => [system, t.Array(t.String())])))),
      ),
    },
    {
      description: 'Which files belong to a save: patterns by slot and system.',
      examples: [{ slots: { main: { linux: ['~/.local/share/lantern-keeper/**'] } } }],
    },
  ),
)

export const BuildFile = t.Object({
  file_uid: Uid,
  filename: t.String({ examples: ['lantern-keeper-linux.zip'] }),
  size: Integer({ minimum: 0 }),
  checksum: t.String({ description: 'SHA-256 in hex.' }),
  scan: OneOf(SCAN_STATES),
  scan_engine: ScanEngine,
  scan_detail: t.Nullable(
    t.String({
      description: 'What was found, why the scan failed, or which files older editors would drop.',
    }),
  ),
  uploaded_at: Moment,
})
export type BuildFile = typeof BuildFile.static

export const Build = t.Object({
  ...identity,
  description: t.String(),
  engine_version: t.Nullable(t.String({ examples: ['4.3'] })),
  changelog_items: t.Array(t.Object({ title: t.String(), description: t.String() })),
  launch: Launch,
  saves: SaveFiles,
  files: t.Array(BuildFile),
})
export type Build = typeof Build.static
