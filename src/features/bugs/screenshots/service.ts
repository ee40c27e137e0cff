import type { ObjectRead } from '../../../clients/object-store/object-store.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { openSigningKey, readReporter } from '../settings/rows.ts'
import { findScreenshot } from './queries.ts'
import { isGenuine, type SignedQuery, signPath } from './signature.ts'

export interface OpenedScreenshot extends Pick<ObjectRead, 'stream' | 'size'> {
  contentType: string
}

/** The path of a screenshot on our server is its object key. */
export function createScreenshotUrl(
  baseUrl: string,
  signingKey: string,
  objectKey: string,
  validSeconds: number,
): string {
  const path = `/${objectKey}`
  const expires = String(Math.floor(Date.now() / 1000) + validSeconds)
  const signature = encodeURIComponent(signPath(signingKey, path, expires))
  return `${baseUrl}${path}?Expires=${expires}&Signature=${signature}`
}

/** Without a valid signature every path gets the same error, whether there is a screenshot or not. */
export async function openScreenshot(
  deps: Deps,
  gameUid: string,
  objectKey: string,
  query: SignedQuery,
): Promise<OpenedScreenshot> {
  const key = isUid(gameUid) ? openSigningKey(deps, await readReporter(deps.db, gameUid)) : null
  if (key === null || !isGenuine(key, `/${objectKey}`, query))
    throw new AppError('forbidden', {
      message: 'This screenshot link is not valid. Open the ticket for a new one.',
    })
  if (Number(query.Expires) <= Date.now() / 1000)
    throw new AppError('forbidden', {
      message: 'This screenshot link has expired. Open the ticket for a new one.',
    })
  const row = await findScreenshot(deps.db, objectKey)
  if (!row) throw new AppError('not_found')
  const { stream, size } = await deps.store.get(objectKey)
  return { stream, size, contentType: row.contentType }
}
