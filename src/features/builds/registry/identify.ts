import type { Db } from '../../../db/client.ts'
import {
  APP_NAME_MAX,
  BUILD_TYPE_DEFAULT,
  BUILD_TYPE_MAX,
  CHANGELOG_ITEMS_MAX,
  type ChangelogItem,
  DESCRIPTION_MAX,
  ENGINE_VERSION_MAX,
  ITEM_DESCRIPTION_MAX,
  TITLE_MAX,
  VERSION_MAX,
} from '../../../domain/builds/build-fields.ts'
import { MAIN_APP, parseChannel, STABLE } from '../../../domain/builds/channels.ts'
import {
  isLaunchPath,
  type Launch,
  LAUNCH_ARG_MAX,
  LAUNCH_ARGS_MAX,
  LAUNCH_PATH_MAX,
} from '../../../domain/builds/launch.ts'
import {
  type Architecture,
  ARCHITECTURES,
  OPERATING_SYSTEMS,
  type OperatingSystem,
} from '../../../domain/builds/platforms.ts'
import { parseSaveFiles, type SaveFiles } from '../../../domain/builds/save-files.ts'
import { isSlug, SLUG_MAX } from '../../../domain/listings/slugs.ts'
import { AppError, invalidField, invalidFields, issueAt, ISSUES_MAX } from '../../../errors.ts'
import {
  filledText,
  list,
  nameText,
  optionalText,
  parseBody,
  type Reader,
  record,
  text,
  textLike,
} from '../../../lib/field-readers.ts'
import { isUid } from '../../../lib/ids.ts'
import { show } from '../../../lib/text/show.ts'
import { requireBuild } from '../service.ts'
import type { BuildRow } from '../shared-queries.ts'
import * as queries from './queries.ts'

/** Form fields of an upload that identify its build; an empty field counts as missing. */
export interface BuildIdentification {
  build_id?: string | undefined
  /** Another name of build_id; ignored if the identity is complete. */
  build?: string | undefined
  version?: string | undefined
  build_type?: string | undefined
  os?: string | undefined
  arch?: string | undefined
  channel?: string | undefined
  app?: string | undefined
}

/** Finds the build by its id, with which the other fields must agree, or by the complete identity. */
export async function findBuildForUpload(
  db: Db,
  gameUid: string,
  identification: BuildIdentification,
): Promise<BuildRow> {
  const uid = idOf(identification)
  if (!uid) return await findByIdentity(db, gameUid, identification)
  const build = await requireBuild(db, gameUid, uid)
  refuseOtherFields(build, identification)
  return build
}

/** Whether the fields received so far already identify a build. */
export function isIdentified(given: BuildIdentification): boolean {
  return Boolean(given.build_id) || hasIdentity(given)
}

function hasIdentity({ version, build_type, os, arch }: BuildIdentification): boolean {
  return Boolean(version && build_type && os && arch)
}

function idOf(given: BuildIdentification): string | undefined {
  const { build_id, build = '', version, build_type } = given
  const isLabel = hasIdentity(given) || (version && build_type && !isUid(build))
  return build_id || (isLabel ? undefined : build)
}

function refuseOtherFields(build: BuildRow, given: BuildIdentification): void {
  const pairs = [
    ['os', given.os, build.os],
    ['arch', given.arch, build.arch],
    ['channel', given.channel, build.channel],
    ['app', given.app, build.app],
    ['version', given.version, build.version],
    ['build_type', given.build_type, build.buildType],
  ] as const
  for (const [field, value, own] of pairs) {
    if (value && value !== own) {
      throw new AppError('upload_field_invalid', {
        message: `${field} must be ${show(own)}, with which the build ${build.uid} was registered, not ${show(value)}.`,
      })
    }
  }
}

async function findByIdentity(db: Db, gameUid: string, given: BuildIdentification): Promise<BuildRow> {
  const { version, os, arch } = given
  if (!version || !os || !arch) {
    throw new AppError('build_not_named', {
      message:
        'The build of this file is not named. Send build_id, or version, build_type, os, arch and channel.',
    })
  }
  const build = await queries.findBuildByIdentity(db, gameUid, given.app || MAIN_APP, {
    version,
    buildType: given.build_type || BUILD_TYPE_DEFAULT,
    ...parseTarget(os, arch, given.channel || STABLE),
  })
  if (!build) throw new AppError('build_not_found')
  return build
}

interface BuildTarget {
  os: OperatingSystem
  arch: Architecture
  channel: string
}

/** Validates the platform and the channel of a build. */
function parseTarget(os: unknown, arch: unknown, channel: unknown): BuildTarget {
  return {
    os: requireOneOf('os', OPERATING_SYSTEMS, os),
    arch: requireOneOf('arch', ARCHITECTURES, arch),
    channel: parseChannel(channel),
  }
}

function requireOneOf<Value extends string>(field: string, values: readonly Value[], given: unknown): Value {
  const found = values.find((value) => value === given)
  if (found !== undefined) return found
  throw new AppError('upload_field_invalid', {
    message: `${field} must be one of ${values.join(', ')}, not ${show(given)}.`,
  })
}

export interface Registration extends BuildTarget {
  version: string
  buildType: string
  app: string
  appName: string | undefined
  /** Only the fields that were sent: registering again keeps the others. */
  details: Partial<{
    title: string
    description: string
    engineVersion: string
    changelogItems: ChangelogItem[]
    launch: Launch
    saves: SaveFiles
  }>
}

/** Truncates unknown field names in messages. */
const NAME_MAX = 60
const slug = textLike(`a slug of at most ${SLUG_MAX} characters of a-z, 0-9 and -`, isSlug)
const launchPath = textLike(
  `the path of a file inside the zip, of at most ${LAUNCH_PATH_MAX} characters`,
  isLaunchPath,
)
const saveFiles: Reader<SaveFiles> = (value, path, report) =>
  parseSaveFiles(value, (at, message) => report([...path, ...at], message))
const anything: Reader<unknown> = (value) => value
/** Checked separately: a missing value has another code than an invalid one. */
const required: Reader<unknown> = (value, path, report) => {
  if (value === undefined || value === null || value === '') report(path, 'is missing.')
  return value
}

const fields = {
  version: nameText(VERSION_MAX),
  build_type: optional(nameText(BUILD_TYPE_MAX)),
  os: required,
  arch: required,
  channel: anything,
  title: optional(text(TITLE_MAX)),
  description: optional(text(DESCRIPTION_MAX)),
  engine_version: optional(text(ENGINE_VERSION_MAX)),
  changelog_items: optional(
    list(
      CHANGELOG_ITEMS_MAX,
      record<ChangelogItem>({
        title: filledText(TITLE_MAX),
        description: optionalText(text(ITEM_DESCRIPTION_MAX), ''),
      }),
    ),
  ),
  launch: optional(
    record<Launch>({ path: launchPath, args: optional(list(LAUNCH_ARGS_MAX, text(LAUNCH_ARG_MAX))) }),
  ),
  saves: optional(saveFiles),
  app: optional(slug),
  app_name: optional(nameText(APP_NAME_MAX)),
}

export function parseRegistration(body: unknown): Registration {
  refuseUnknownFields(body)
  const given = parseBody(body, record(fields), 'registration_invalid')
  const { version, build_type, title, description, engine_version, changelog_items, launch, saves } = given
  const { app, app_name } = given
  return {
    version,
    buildType: build_type ?? BUILD_TYPE_DEFAULT,
    ...parseTarget(given.os, given.arch, given.channel ?? STABLE),
    app: app ?? MAIN_APP,
    appName: app_name,
    details: {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(engine_version !== undefined && { engineVersion: engine_version.trim() }),
      ...(changelog_items !== undefined && { changelogItems: changelog_items }),
      ...(launch !== undefined && { launch }),
      ...(saves !== undefined && { saves }),
    },
  }
}

/** null counts as missing. */
function optional<Value>(reader: Reader<Value>): Reader<Value | undefined> {
  return (value, path, report) =>
    value === undefined || value === null ? undefined : reader(value, path, report)
}

function refuseUnknownFields(body: unknown): void {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalidField('', 'must be a JSON object.')
  }
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(fields, name))
  if (unknown.length === 0) return
  const known = Object.keys(fields).join(', ')
  const issues = unknown
    .slice(0, ISSUES_MAX)
    .map((name) => issueAt(name.slice(0, NAME_MAX), `is not a known field; there are ${known}.`))
  throw invalidFields(issues)
}
