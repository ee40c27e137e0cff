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
} from '../../../domain/builds/build-fields.ts'
import type { ChangelogItem } from '../../../domain/builds/changelog-items.ts'
import { MAIN_APP, STABLE } from '../../../domain/builds/channels.ts'
import {
  isLaunchPath,
  type Launch,
  LAUNCH_ARG_MAX,
  LAUNCH_ARGS_MAX,
  LAUNCH_PATH_MAX,
} from '../../../domain/builds/launch.ts'
import { isSlug, SLUG_MAX } from '../../../domain/listings/slugs.ts'
import { invalidField, invalidFields, issueAt, ISSUES_MAX } from '../../../errors.ts'
import {
  filledText,
  list,
  nameText,
  optionalText,
  readBody,
  type Reader,
  record,
  text,
  textLike,
} from '../../../lib/field-readers.ts'
import { type BuildTarget, readTarget } from './identify.ts'

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
  }>
}

/** Truncates unknown field names in messages. */
const NAME_MAX = 60
const slug = textLike(`a slug of at most ${SLUG_MAX} characters of a-z, 0-9 and -`, isSlug)
const launchPath = textLike(
  `the path of a file inside the zip, of at most ${LAUNCH_PATH_MAX} characters`,
  isLaunchPath,
)
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
  app: optional(slug),
  app_name: optional(nameText(APP_NAME_MAX)),
}

export function readRegistration(body: unknown): Registration {
  refuseUnknownFields(body)
  const given = readBody(body, record(fields), 'registration_invalid')
  const { version, build_type, title, description, engine_version, changelog_items, launch, app, app_name } =
    given
  return {
    version,
    buildType: build_type ?? BUILD_TYPE_DEFAULT,
    ...readTarget(given.os, given.arch, given.channel ?? STABLE),
    app: app ?? MAIN_APP,
    appName: app_name,
    details: {
      ...(title !== undefined && { title }),
      ...(description !== undefined && { description }),
      ...(engine_version !== undefined && { engineVersion: engine_version.trim() }),
      ...(changelog_items !== undefined && { changelogItems: changelog_items }),
      ...(launch !== undefined && { launch }),
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
