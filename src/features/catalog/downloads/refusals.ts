import type { DownloadSource } from '../../../domain/builds/files.ts'
import type { AppError } from '../../../errors.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { networkOf, parseClientAddress } from '../../../lib/net/addresses.ts'
import { originalOf } from '../../../lib/net/requests.ts'
import { describeAttempt, type Downloads, parseVisit } from './service.ts'

/** Why a download that exists is refused. */
export const DOWNLOAD_REFUSALS = [
  'sign_in_to_download',
  'buy_to_download',
  'forbidden',
  'still_scanning',
  'link_not_signed',
] as const

interface RefusedRequest {
  request: Request
  params: unknown
  server: { requestIP(request: Request): { address: string } | null } | null
}

/** Finds the file that a request was for, from the parameters of its route. */
type FindFile = (params: object) => string | undefined | Promise<string | undefined>

const ONCE_MS = 60_000
const SEEN_MAX = 10_000

/**
 * For `onFailure` of a download route: records requests refused before the handler ran (401 or 429). A
 * network gets one row per minute and file, so that it cannot fill the table; except 401s that a limit
 * counted.
 */
export function recordRefusals(downloads: Downloads, source: DownloadSource, findFile: FindFile) {
  const { deps, log } = downloads
  const { trustProxy, countryHeader } = deps.config
  const seen = new BoundedCache<true>({ maxEntries: SEEN_MAX, lifetimeMs: ONCE_MS })

  function isRepeated({ request, server, params }: RefusedRequest, code: number): boolean {
    const socketAddress = () => server?.requestIP(originalOf(request))?.address
    const address = parseClientAddress(request.headers, socketAddress, trustProxy)
    const key = `${code} ${networkOf(address)} ${JSON.stringify(params)}`
    if (seen.get(key)) return true
    seen.set(key, true)
    return false
  }

  async function record(request: Request, params: object, code: number): Promise<void> {
    const fileUid = (await findFile(params)) ?? ''
    log.add(describeAttempt({ source, fileUid, visit: parseVisit(request.headers, countryHeader) }, code))
  }

  return (context: RefusedRequest, { kind, code }: AppError): void => {
    const { params, request } = context
    if ((kind !== 'rate_limited' && kind !== 'unauthorized') || typeof params !== 'object' || !params) return
    if ((kind === 'rate_limited' || source === 'library') && isRepeated(context, code)) return
    // Not awaited, so that it does not delay the answer.
    record(request, params, code).catch((cause: unknown) =>
      deps.log.warn('A refused download could not be recorded', { error: cause }),
    )
  }
}

/** The file that the path names. */
export function fileInPath(params: object): string | undefined {
  const uid: unknown = Reflect.get(params, 'file_uid')
  return typeof uid === 'string' ? uid : undefined
}
