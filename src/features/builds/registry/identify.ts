import type { Db } from '../../../db/client.ts'
import { BUILD_TYPE_DEFAULT } from '../../../domain/builds/build-fields.ts'
import { MAIN_APP, STABLE } from '../../../domain/builds/channels.ts'
import {
  type Architecture,
  ARCHITECTURES,
  OPERATING_SYSTEMS,
  type OperatingSystem,
} from '../../../domain/builds/platforms.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { show } from '../../../lib/text/show.ts'
import { readChannel } from '../channels/builds.ts'
import { requireBuild } from '../service.ts'
import type { BuildRow } from '../shared-queries.ts'
import * as queries from './queries.ts'

/** Form fields of an upload that identify its build; an empty field counts as missing. */
export interface BuildIdentification {
  build_id?: string | undefined
  /** Another name of build_id; a label without meaning beside a complete identity. */
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

/** Whether the fields so far name a build, whatever else follows. */
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
    ...readTarget(os, arch, given.channel || STABLE),
  })
  if (!build) throw new AppError('build_not_found')
  return build
}

export interface BuildTarget {
  os: OperatingSystem
  arch: Architecture
  channel: string
}

/** Validates the platform and the channel of a build. */
export function readTarget(os: unknown, arch: unknown, channel: unknown): BuildTarget {
  return {
    os: requireOneOf('os', OPERATING_SYSTEMS, os),
    arch: requireOneOf('arch', ARCHITECTURES, arch),
    channel: readChannel(channel),
  }
}

function requireOneOf<Value extends string>(field: string, values: readonly Value[], given: unknown): Value {
  const found = values.find((value) => value === given)
  if (found !== undefined) return found
  throw new AppError('upload_field_invalid', {
    message: `${field} must be one of ${values.join(', ')}, not ${show(given)}.`,
  })
}
