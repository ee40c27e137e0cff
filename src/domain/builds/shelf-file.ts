import { type Static, type TLiteral, Type } from '@sinclair/typebox'

import { SLUG_MAX, SLUG_PATTERN } from '../listings/slugs.ts'
import { SLOT_NAME_MAX } from '../saves.ts'
import {
  APP_NAME_MAX,
  BUILD_TYPE_DEFAULT,
  BUILD_TYPE_MAX,
  CHANGELOG_ITEMS_MAX,
  DESCRIPTION_MAX,
  ENGINE_VERSION_MAX,
  ITEM_DESCRIPTION_MAX,
  TITLE_MAX,
  VERSION_MAX,
} from './build-fields.ts'
import { CHANNEL_PATTERN, STABLE } from './channels.ts'
import { LAUNCH_ARG_MAX, LAUNCH_ARGS_MAX, LAUNCH_PATH_MAX } from './launch.ts'
import { ARCHITECTURES, OPERATING_SYSTEMS } from './platforms.ts'
import { SAVE_PATTERNS_MAX } from './save-files.ts'
import { SAVE_PATTERN_MAX, SAVE_SYSTEMS, type SaveSystem } from './save-patterns.ts'

const BUILDS_MAX = 100
const PATH_MAX = 4096
const closed = { additionalProperties: false }

function oneOf<Value extends string>(values: readonly Value[], description: string) {
  return Type.Union(
    values.map((value): TLiteral<Value> => Type.Literal(value)),
    { description },
  )
}

const Path = (description: string) => Type.String({ minLength: 1, maxLength: PATH_MAX, description })
const Channel = Type.String({
  pattern: CHANNEL_PATTERN,
  description: `The channel that the builds are registered for, of a-z, 0-9, - and _; "${STABLE}" unless given.`,
  examples: ['stable', 'beta', 'dev'],
})

const Version = Type.Union(
  [
    Type.String({ minLength: 1, maxLength: VERSION_MAX }),
    Type.Object({ file: Path('A text file whose first line is the version.') }, closed),
    Type.Object(
      {
        git: Type.Literal(true, {
          description: 'The newest tag without a leading "v"; 1.2.0-3-gabc1234 three commits after it.',
        }),
      },
      closed,
    ),
  ],
  { description: 'The version of all builds.', examples: ['1.2.0', { file: 'VERSION' }, { git: true }] },
)

const Changelog = Type.Union(
  [
    Path('A Markdown file: the list items of the section of this version.'),
    Type.Array(
      Type.Object(
        {
          title: Type.String({ minLength: 1, maxLength: TITLE_MAX }),
          description: Type.Optional(Type.String({ maxLength: ITEM_DESCRIPTION_MAX })),
        },
        closed,
      ),
      { maxItems: CHANGELOG_ITEMS_MAX },
    ),
  ],
  { description: 'What is new in this version.' },
)

const LaunchPath = Type.String({ minLength: 1, maxLength: LAUNCH_PATH_MAX, examples: ['bin/game'] })
const Launch = Type.Union(
  [
    LaunchPath,
    Type.Object(
      {
        path: LaunchPath,
        args: Type.Optional(
          Type.Array(Type.String({ maxLength: LAUNCH_ARG_MAX }), { maxItems: LAUNCH_ARGS_MAX }),
        ),
      },
      closed,
    ),
  ],
  { description: 'The program that `shelf run` starts, as its path inside the build.' },
)

const SavePatterns = Type.Optional(
  Type.Array(Type.String({ minLength: 1, maxLength: SAVE_PATTERN_MAX }), {
    minItems: 1,
    maxItems: SAVE_PATTERNS_MAX,
  }),
)
const Saves = Type.Object(
  {
    slots: Type.Record(
      Type.String({ pattern: `^.{1,${SLOT_NAME_MAX}}$` }),
      Type.Object(
        Object.fromEntries(SAVE_SYSTEMS.map((system) => [system, SavePatterns])) as Record<
          SaveSystem,
          typeof SavePatterns
        >,
        closed,
      ),
      closed,
    ),
  },
  {
    ...closed,
    description:
      'The files that belong to a save, by slot and system. A pattern names a folder of the game below a known one; *, ? and ** are wildcards.',
    examples: [
      {
        slots: {
          main: {
            linux: ['~/.local/share/moss-garden/*.sav'],
            windows: ['%APPDATA%/Moss Garden/*.sav'],
            macos: ['~/Library/Application Support/Moss Garden/*.sav'],
          },
        },
      },
    ],
  },
)

export const ShelfBuild = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        pattern: '^[A-Za-z0-9][A-Za-z0-9._ -]{0,99}$',
        description:
          'Names the build on the command line and the zip of a folder; "<os>-<arch>" unless given.',
        examples: ['linux'],
      }),
    ),
    os: oneOf(OPERATING_SYSTEMS, 'The operating system that the build runs on.'),
    arch: oneOf(ARCHITECTURES, 'The processor that the build runs on.'),
    path: Path('The folder to pack, or a .zip that is sent as it is; relative to this file.'),
    channel: Type.Optional(Channel),
    app: Type.Optional(
      Type.String({
        pattern: SLUG_PATTERN,
        maxLength: SLUG_MAX,
        description: 'The program that this is a build of, where a game has several; "main" unless given.',
        examples: ['server'],
      }),
    ),
    app_name: Type.Optional(
      Type.String({ minLength: 1, maxLength: APP_NAME_MAX, description: 'The name of the app for players.' }),
    ),
    build_type: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: BUILD_TYPE_MAX,
        description: `The kind of build; "${BUILD_TYPE_DEFAULT}" unless given.`,
      }),
    ),
    title: Type.Optional(Type.String({ maxLength: TITLE_MAX, description: 'The title of the build.' })),
    description: Type.Optional(
      Type.String({ maxLength: DESCRIPTION_MAX, description: 'What the build is about.' }),
    ),
    engine_version: Type.Optional(
      Type.String({
        maxLength: ENGINE_VERSION_MAX,
        description: 'The version of the engine, by which mods fit.',
        examples: ['4.3'],
      }),
    ),
    launch: Type.Optional(Launch),
    filename: Type.Optional(
      Type.String({
        pattern: String.raw`^[^/\\]+\.[zZ][iI][pP]$`,
        maxLength: 255,
        description: 'The name of the uploaded zip, with .zip at its end.',
      }),
    ),
    files: Type.Optional(Path('A file list written by `shelf files`: exactly these files are packed.')),
    symbols: Type.Optional(
      Type.Union(
        [Path('A .sym file, or a folder with some.'), Type.Array(Path('A .sym file or a folder.'))],
        {
          description: 'Breakpad symbols, uploaded with the build.',
        },
      ),
    ),
  },
  closed,
)
export type ShelfBuild = Static<typeof ShelfBuild>

/** `shelf.json`, the build description that the command-line uploader reads and writes. */
export const ShelfFile = Type.Object(
  {
    $schema: Type.Optional(Type.String({ description: 'The address of this schema, for editors.' })),
    server: Type.Optional(
      Type.String({
        pattern: '^https?://[^\\s]+$',
        description: 'The address of the store.',
        examples: ['https://store.example'],
      }),
    ),
    game: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: 'The name of the game in its address, or its uid.',
        examples: ['moss-garden'],
      }),
    ),
    version: Type.Optional(Version),
    channel: Type.Optional(Channel),
    builds: Type.Array(ShelfBuild, { minItems: 1, maxItems: BUILDS_MAX }),
    changelog: Type.Optional(Changelog),
    saves: Type.Optional(Saves),
  },
  {
    ...closed,
    title: 'shelf.json',
    description: 'Describes the builds of a game for the uploader `shelf`.',
  },
)
export type ShelfFile = Static<typeof ShelfFile>

export const SHELF_SCHEMA_PATH = '/schemas/shelf.json'

/** The JSON Schema that editors and other tools read from the store. */
export function describeShelfFile(baseUrl: string): Record<string, unknown> {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: new URL(SHELF_SCHEMA_PATH, baseUrl).href,
    ...ShelfFile,
  }
}
