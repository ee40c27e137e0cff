import type { Anonymous, Player } from '../../domain/actor.ts'
import { AppError } from '../../errors.ts'
import { recordAttempt } from '../catalog/downloads/attempts.ts'
import type { Downloads } from '../catalog/downloads/downloads.ts'
import { linkForVisitor } from '../catalog/downloads/service.ts'
import { readVisit } from '../catalog/downloads/visit.ts'
import { findPackageFile, findPackageUid } from './queries.ts'

const ASSET_ID = /^[1-9]\d{0,9}$/
/** Editors read numbers as 32-bit integers. */
const ASSET_ID_MAX = 2 ** 31 - 1

/** Throws not_found for anything that is no number of a package. */
export function readAssetId(text: string): number {
  const id = ASSET_ID.test(text) ? Number(text) : 0
  if (id === 0 || id > ASSET_ID_MAX) throw new AppError('not_found')
  return id
}

/** The newest stable zip of a package. */
export async function findFileOf({ deps }: Downloads, assetId: string): Promise<string | undefined> {
  const gameUid = await findPackageUid(deps.db, readAssetId(assetId))
  return gameUid === undefined ? undefined : await findPackageFile(deps.db, gameUid)
}

/** Returns a link to it. */
export async function linkPackage(
  downloads: Downloads,
  visitor: Anonymous | Player,
  assetId: string,
  headers: Headers,
): Promise<string> {
  const { deps, log } = downloads
  const fileUid = await findFileOf(downloads, assetId)
  const visit = readVisit(headers, deps.config.countryHeader)
  const attempt = { source: 'asset_library', fileUid: fileUid ?? '', visit } as const
  const { url } = await recordAttempt(log, attempt, () => linkForVisitor(downloads, visitor, fileUid ?? ''))
  return url
}
