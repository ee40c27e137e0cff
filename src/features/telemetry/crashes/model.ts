import { t } from 'elysia'

import { Integer, Moment, PageQuery, Strict, Uid } from '../../../http/input/schema.ts'

export const LOG_BYTES_MAX = 512 * 1024
export const SIGNATURE_MAX = 255
const FRAMES_MAX = 200

const Offset = Integer({
  minimum: 0,
  maximum: Number.MAX_SAFE_INTEGER,
  description: 'Relative to the start of the module.',
})
const ModuleName = t.String({ minLength: 1, maxLength: 255, examples: ['lighthouse.exe'] })
const short = (maxLength: number, example: string) => t.String({ maxLength, examples: [example] })

/** The body that a game sends. */
export const CrashReport = Strict({
  device_id: t.String({ minLength: 1, maxLength: 128, examples: ['b6f1c1de'] }),
  session_id: t.String({ minLength: 1, maxLength: 128, examples: ['s-41'] }),
  at: Moment,
  before_boot: t.Boolean({ description: 'Whether it crashed before `boot_ok`.' }),
  signature: t.Optional(
    t.String({
      minLength: 1,
      maxLength: SIGNATURE_MAX,
      description:
        'Crashes with the same signature are one kind. By default made from the reason and the top of the stack.',
    }),
  ),
  reason: t.String({ minLength: 1, maxLength: 1000, examples: ['SIGSEGV'] }),
  frames: t.Array(
    Strict({ module: ModuleName, offset: Offset, function: t.Optional(short(1000, 'load_level')) }),
    { maxItems: FRAMES_MAX },
  ),
  client_version: t.Optional(short(64, '1.2.0')),
  os: t.Optional(short(64, 'linux')),
  arch: t.Optional(short(64, 'x86_64')),
  log: t.Optional(t.String({ description: `At most ${LOG_BYTES_MAX} bytes.` })),
})
export type CrashReport = typeof CrashReport.static

export const CrashAccepted = t.Object({ crash_uid: Uid })
export type CrashAccepted = typeof CrashAccepted.static

export const CrashesQuery = t.Object({
  ...PageQuery.properties,
  build_id: t.Optional(t.String({ description: 'Only kinds with a stored report of this build.' })),
})

/** From the newest build that had this crash. */
const Stack = t.Array(
  t.Object({
    module: ModuleName,
    offset: Offset,
    function: t.Nullable(t.String({ description: 'From the symbols, or else from the game.' })),
    file: t.Nullable(t.String()),
    line: t.Nullable(Integer()),
  }),
)

export const CrashGroup = t.Object({
  signature: t.String(),
  reason: t.String(),
  count: Integer({ minimum: 1 }),
  devices: Integer({ minimum: 1 }),
  first_seen_at: Moment,
  last_seen_at: Moment,
  versions: t.Array(t.String(), { description: 'Of the builds it was seen in.' }),
  crash_uid: t.Nullable({ ...Uid, description: 'The newest report that is still stored.' }),
  stack: Stack,
})
export type CrashGroup = typeof CrashGroup.static

/** One report as it was sent. */
export const Crash = t.Object({
  crash_uid: Uid,
  signature: t.String(),
  build_id: Uid,
  version: t.String(),
  device_id: t.String(),
  session_id: t.String(),
  at: Moment,
  received_at: Moment,
  before_boot: t.Boolean(),
  reason: t.String(),
  frames: t.Array(t.Object({ module: ModuleName, offset: Offset, function: t.Optional(t.String()) })),
  client_version: t.Nullable(t.String()),
  os: t.Nullable(t.String()),
  arch: t.Nullable(t.String()),
  log: t.Nullable(t.String()),
})
export type Crash = typeof Crash.static
