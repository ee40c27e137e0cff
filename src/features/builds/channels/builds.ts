import type { Db } from '../../../db/client.ts'
import { CHANNEL_MAX, isChannel } from '../../../domain/builds/channels.ts'
import { AppError } from '../../../errors.ts'
import { show } from '../../../lib/text/show.ts'
import type { BuildRow } from '../shared-queries.ts'
import { isCleanBuild } from './queries.ts'

export async function requireClean(db: Db, build: BuildRow): Promise<void> {
  if (await isCleanBuild(db, build.uid)) return
  throw new AppError('taken', {
    message: `Build ${build.version} for ${build.os} ${build.arch} cannot be promoted: it needs at least one file, and all its files must be scanned and clean.`,
  })
}

export function readChannel(given: unknown): string {
  if (typeof given === 'string' && isChannel(given)) return given
  throw new AppError('upload_field_invalid', {
    message: `channel must be 1 to ${CHANNEL_MAX} characters of a-z, 0-9, - and _, the first a letter or digit, not ${show(given)}.`,
  })
}
