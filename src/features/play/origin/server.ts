import { countRequest } from '../../../clients/rate-store/count-request.ts'
import { isBusyError, isConnectionError } from '../../../db/errors.ts'
import type { Deps } from '../../../deps.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { folderOf } from '../../../domain/builds/entry-page.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../domain/listings/web-player.ts'
import { AppError } from '../../../errors.ts'
import { isNotModified } from '../../../http/output/etags.ts'
import { isUid } from '../../../lib/ids.ts'
import { limitKeyOf, readClientAddress } from '../../../lib/net/client-address.ts'
import { readUrl } from '../../../lib/net/request-url.ts'
import { describeAttempt } from '../../catalog/downloads/attempts.ts'
import type { DownloadLog } from '../../catalog/downloads/log.ts'
import { readVisit } from '../../catalog/downloads/visit.ts'
import type { Choice } from '../access/model.ts'
import type { PlayAccess } from '../access/service.ts'
import { createDirectoryReader } from '../files/directory.ts'
import { findEntry, readName } from '../files/names.ts'
import { serveEntry } from '../files/serve-entry.ts'
import { createOriginHeaders } from './headers.ts'
import { refusalPage } from './pages.ts'
import { SDK_PATH, sdkFor, sdkTag } from './sdk.ts'

type Played = Awaited<ReturnType<PlayAccess['require']>>

interface Visit extends Played {
  choice: Choice & { buildUid: string }
  /** A pin that is lost stands for a build that is gone: the next load of the entry page begins anew. */
  pin: 'held' | 'none' | 'lost'
}

export interface PlayServer {
  /** `label` is what stands for the game in the address. */
  answer(request: Request, label: string, socketAddress: () => string | undefined): Promise<Response>
  /** How many entries had to be inflated for clients that do not accept gzip. */
  readonly inflated: number
}

const TICKET = 'ticket'
const RETRY_SECONDS = '2'

/** Serves the games' own origins: nothing but the files of one game at each. */
export function createPlayServer(deps: Deps, access: PlayAccess, downloads: DownloadLog): PlayServer {
  const { config, store, rates, log } = deps
  const { baseUrl, trustProxy, countryHeader } = config
  const headers = createOriginHeaders(baseUrl)
  const readDirectory = createDirectoryReader(deps.db)
  let inflated = 0
  const source = { store, onInflate: () => void (inflated += 1) }

  async function answer(
    request: Request,
    gameUid: string,
    socketAddress: () => string | undefined,
  ): Promise<Response> {
    const { method } = request
    if ((method !== 'GET' && method !== 'HEAD') || !isUid(gameUid)) throw new AppError('not_found')
    const address = limitKeyOf(readClientAddress(request.headers, socketAddress, trustProxy))
    await countRequest(rates, ['play_file'], () => `${address} ${gameUid}`, {})
    const url = readUrl(request.url)
    const ticket = url.pathname === '/' ? url.searchParams.get(TICKET) : null
    if (ticket !== null) return await openVisit(request, gameUid, ticket)
    const name = readName(url.pathname)
    if (name === null) throw new AppError('not_found')
    return await serve(request, gameUid, url.pathname, name)
  }

  /** Turns the ticket into the cookie of the visit, and removes it from the address. */
  async function openVisit(request: Request, gameUid: string, ticket: string): Promise<Response> {
    if (request.method !== 'GET') throw new AppError('not_found')
    const choice = await access.redeem(ticket, gameUid)
    const { build, facts } = await access.require(choice)
    record(request, build.fileUid)
    return new Response(null, {
      status: 302,
      headers: {
        ...headers.file(isIsolated(facts)),
        location: '/',
        'cache-control': 'no-store',
        'set-cookie': access.pins.write({ ...choice, buildUid: build.uid }),
      },
    })
  }

  async function serve(request: Request, gameUid: string, path: string, name: string): Promise<Response> {
    const visit = await findVisit(request, gameUid)
    const { build, facts } = visit
    const sent = headers.file(isIsolated(facts))
    if (path === SDK_PATH) return serveSdk(request, visit, sent)
    const directory = await readDirectory({ uid: build.fileUid, gameUid })
    if (!directory) throw preparing(facts.name)
    const folder = folderOf(build.entryPage)
    const entry = findEntry(directory, name, folder)
    if (!entry) throw new AppError('not_found')
    const isEntryPage = entry.path === build.entryPage
    if (visit.pin === 'lost' && !isEntryPage) throw new AppError('not_found')
    if (visit.pin !== 'held' && isEntryPage) {
      sent['set-cookie'] = access.pins.write(visit.choice)
      if (request.method === 'GET') record(request, build.fileUid)
    }
    return await serveEntry(source, build.objectKey, entry, request, sent)
  }

  async function findVisit(request: Request, gameUid: string): Promise<Visit> {
    const pin = access.pins.read(request.headers.get('cookie'), gameUid)
    if (pin) {
      const facts = await access.readFacts(pin)
      if (facts?.build || !facts) return { ...(await access.require(pin)), choice: pin, pin: 'held' }
    }
    const { channel, userUid } = pin ?? { channel: STABLE, userUid: null }
    const choice = { gameUid, channel, buildUid: null, userUid }
    const played = await access.require(choice)
    return { ...played, choice: { ...choice, buildUid: played.build.uid }, pin: pin ? 'lost' : 'none' }
  }

  function serveSdk(request: Request, { build, facts }: Visit, sent: Record<string, string>): Response {
    const { uid: buildUid, version } = build
    const text = sdkFor(request, { baseUrl, gameUid: facts.gameUid, buildUid, version })
    const etag = sdkTag(text)
    const own = { ...sent, etag, 'cache-control': 'no-cache', vary: 'sec-fetch-mode' }
    if (isNotModified(request, etag)) return new Response(null, { status: 304, headers: own })
    return new Response(text, { headers: { ...own, 'content-type': 'text/javascript;charset=utf-8' } })
  }

  /** One row for each visit, not for each file. */
  function record(request: Request, fileUid: string): void {
    const visit = readVisit(request.headers, countryHeader)
    downloads.add(describeAttempt({ source: 'play', fileUid, visit }, 200))
  }

  function refuse(request: Request, error: unknown): Response {
    const failure = toFailure(error)
    if (failure.cause !== undefined) {
      const level = failure.kind === 'internal' ? 'error' : 'warn'
      log[level]('A file of a game could not be served', { error: failure.cause })
    }
    const body = request.method === 'HEAD' ? null : refusalPage(request, failure, baseUrl)
    return new Response(body, { status: failure.status, headers: { ...headers.page(), ...failure.headers } })
  }

  return {
    answer: (request, label, socketAddress) =>
      answer(request, label, socketAddress).catch((error: unknown) => refuse(request, error)),
    get inflated() {
      return inflated
    },
  }
}

function toFailure(error: unknown): AppError {
  if (error instanceof AppError) return error
  const isAway = isConnectionError(error) || isBusyError(error)
  return new AppError(isAway ? 'service_down' : 'internal', { cause: error })
}

function isIsolated({ webPlayer }: Played['facts']): boolean {
  return (webPlayer ?? WEB_PLAYER_DEFAULTS).isolation
}

function preparing(name: string): AppError {
  return new AppError('service_down', {
    message: `${name} is being prepared for the browser. Try again in a moment.`,
    headers: { 'retry-after': RETRY_SECONDS, refresh: RETRY_SECONDS },
  })
}
