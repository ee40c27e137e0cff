import { join } from 'node:path'

import { countInRow } from '../../../clients/rate-store/count-request.ts'
import type { Deps } from '../../../deps.ts'
import { STABLE } from '../../../domain/builds/channels.ts'
import { folderOf } from '../../../domain/builds/files.ts'
import { WEB_PLAYER_DEFAULTS } from '../../../domain/listings/web-player.ts'
import { createLabelReader, PLAY_FEATURES } from '../../../domain/play-origins.ts'
import { AppError } from '../../../errors.ts'
import { isNotModified } from '../../../http/output/caching.ts'
import { ISOLATION } from '../../../http/output/headers.ts'
import { toAppError } from '../../../http/output/to-app-error.ts'
import { compress, parseEncoding } from '../../../http/server/compression.ts'
import { whenReady } from '../../../lib/flow/with-timeout.ts'
import { isUid } from '../../../lib/ids.ts'
import { limitKeyOf, parseClientAddress } from '../../../lib/net/addresses.ts'
import { parseUrl, rawPathOf } from '../../../lib/net/requests.ts'
import { describeAttempt, type DownloadLog, parseVisit } from '../../catalog/downloads/service.ts'
import type { Choice } from '../access/model.ts'
import type { PlayAccess, Played } from '../access/service.ts'
import { createDirectoryReader, findEntry, parseName, type PlayedEntry } from '../files/directory.ts'
import { createEntryBytes } from '../files/entry-bytes.ts'
import { createKeptEntries } from '../files/kept-entries.ts'
import { createReadyAnswers, serveEntry, takesReady } from '../files/serve-entry.ts'
import { isSdkPath, sdkFor, sdkTag } from '../sdk/serve-sdk.ts'

interface Visit extends Played {
  choice: Choice & { buildUid: string }
  /** lost: the pinned build was deleted; the next load of the entry page pins the current one. */
  pin: 'held' | 'none' | 'lost'
}

export interface PlayServer {
  /** `label` is the part of the host name that names the game. */
  answer(
    request: Request,
    label: string,
    socketAddress: () => string | undefined,
  ): Response | Promise<Response>
  /** How many entries had to be inflated for clients that do not accept gzip. */
  readonly inflated: number
}

const TICKET = 'ticket'
/** Paths that a URL parser would leave as they are. */
const PLAIN_PATH = /^(?:\/[\w-][\w.-]*)+$/
const RETRY_SECONDS = '2'

/** Serves the games' own origins: nothing but the files of one game at each. */
export function createPlayServer(deps: Deps, access: PlayAccess, downloads: DownloadLog): PlayServer {
  const { config, objects, rates, log } = deps
  const { baseUrl, trustProxy, countryHeader } = config
  const headers = createOriginHeaders(baseUrl)
  const readDirectory = createDirectoryReader(deps.db)
  let inflated = 0
  const kept = createKeptEntries({
    objects,
    folder: join(config.dataDir, 'play'),
    maxBytes: config.playCache,
    reserve: config.storageReserve,
    onFailure: (error) => log.warn('A file of a game could not be copied for faster sending', { error }),
  })
  deps.onDispose(() => kept.dispose())
  const bytes = createEntryBytes(objects, kept)
  const ready = createReadyAnswers()
  const source = { bytes, onInflate: () => void (inflated += 1) }

  function answer(
    request: Request,
    gameUid: string,
    socketAddress: () => string | undefined,
  ): Response | Promise<Response> {
    const { method } = request
    if ((method !== 'GET' && method !== 'HEAD') || !isUid(gameUid)) throw new AppError('not_found')
    const address = limitKeyOf(parseClientAddress(request.headers, socketAddress, trustProxy))
    return whenReady(countInRow(rates, 'play_file', `${address} ${gameUid}`), () => {
      if (request.headers.get('service-worker') !== null) return refuseWorker(gameUid)
      const path = rawPathOf(request.url)
      if (PLAIN_PATH.test(path)) return serve(request, gameUid, path, path.slice(1))
      const { pathname, searchParams } = parseUrl(request.url)
      const ticket = pathname === '/' ? searchParams.get(TICKET) : null
      if (ticket !== null) return openVisit(request, gameUid, ticket)
      const name = parseName(pathname)
      if (name === null) throw new AppError('not_found')
      return serve(request, gameUid, pathname, name)
    })
  }

  /**
   * Service workers are refused, because they would still serve the game after a take-down. Browsers with an
   * older one request its script now and then: for a blocked game the answer removes it with all it stored.
   */
  async function refuseWorker(gameUid: string): Promise<Response> {
    const choice = { gameUid, channel: STABLE, buildUid: null, userUid: null, jam: null }
    const facts = await access.readFacts(choice)
    throw new AppError('forbidden', {
      message: 'Games cannot register service workers here.',
      ...(facts?.isBlocked && { headers: { 'clear-site-data': '"storage"' } }),
    })
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

  function serve(
    request: Request,
    gameUid: string,
    path: string,
    name: string,
  ): Response | Promise<Response> {
    return whenReady(findVisit(request, gameUid), (visit) => {
      if (isSdkPath(path)) return serveSdk(request, path, visit)
      const takes = visit.pin !== 'lost' && takesReady(request)
      const place = `${visit.build.fileUid} ${isIsolated(visit.facts)} ${name}`
      const known = takes ? ready.find(place) : null
      if (known) return known
      return whenReady(readDirectory({ uid: visit.build.fileUid, gameUid }), (directory) => {
        if (!directory) throw preparing(visit.facts.name)
        return whenReady(findEntry(directory, name, folderOf(visit.build.entryPage)), (entry) => {
          if (!entry) throw new AppError('not_found')
          return whenReady(serveFile(request, visit, entry), (answer) => {
            // Not kept for the entry page, which may count and pin a visit.
            if (takes && entry.path !== visit.build.entryPage) ready.keep(place, entry, answer)
            return answer
          })
        })
      })
    })
  }

  function serveFile(request: Request, visit: Visit, entry: PlayedEntry): Response | Promise<Response> {
    const { build, facts } = visit
    const sent = headers.file(isIsolated(facts))
    const isEntryPage = entry.path === build.entryPage
    if (visit.pin === 'lost' && !isEntryPage) throw new AppError('not_found')
    if (visit.pin !== 'held' && isEntryPage) {
      sent['set-cookie'] = access.pins.write(visit.choice)
      if (request.method === 'GET') record(request, build.fileUid)
    }
    return serveEntry(source, build.objectKey, entry, request, sent)
  }

  function findVisit(request: Request, gameUid: string): Visit | Promise<Visit> {
    const pin = access.pins.read(request.headers.get('cookie'), gameUid)
    if (!pin) return beginVisit({ gameUid, channel: STABLE, userUid: null, jam: null }, 'none')
    return whenReady(access.readFacts(pin), (facts) =>
      facts && !facts.build
        ? beginVisit(pin, 'lost')
        : { ...access.check(facts, pin.channel), choice: pin, pin: 'held' as const },
    )
  }

  function beginVisit(
    { gameUid, channel, userUid, jam }: Omit<Choice, 'buildUid'>,
    pin: 'none' | 'lost',
  ): Visit | Promise<Visit> {
    const choice = { gameUid, channel, buildUid: null, userUid, jam }
    return whenReady(access.require(choice), (played) => ({
      ...played,
      choice: { ...choice, buildUid: played.build.uid },
      pin,
    }))
  }

  function serveSdk(request: Request, path: string, { build, facts }: Visit): Response {
    const { uid: buildUid, version } = build
    const text = sdkFor(path, request, { baseUrl, gameUid: facts.gameUid, buildUid, version })
    const etag = sdkTag(text)
    const sent: Record<string, string> = {
      ...headers.file(isIsolated(facts)),
      etag: `W/${etag}`,
      'cache-control': 'no-cache',
      vary: 'sec-fetch-mode, accept-encoding',
    }
    if (isNotModified(request, etag)) return new Response(null, { status: 304, headers: sent })
    const encoding = parseEncoding(request.headers)
    if (encoding !== null) sent['content-encoding'] = encoding
    sent['content-type'] = 'text/javascript;charset=utf-8'
    return new Response(compress(text, encoding), { headers: sent })
  }

  /** One row for each visit, not for each file. */
  function record(request: Request, fileUid: string): void {
    const visit = parseVisit(request.headers, countryHeader)
    downloads.add(describeAttempt({ source: 'play', fileUid, visit }, 200))
  }

  function refuse(request: Request, error: unknown): Response {
    const failure = toAppError(error, 'UNKNOWN')
    if (failure.cause !== undefined) {
      const level = failure.kind === 'internal' ? 'error' : 'warn'
      log[level]('A file of a game could not be served', { error: failure.cause })
    }
    const body = refusalPage(request, failure, baseUrl)
    return new Response(body, { status: failure.status, headers: { ...headers.page(), ...failure.headers } })
  }

  return {
    answer(request, label, socketAddress) {
      try {
        const response = answer(request, label, socketAddress)
        return response instanceof Promise
          ? response.catch((error: unknown) => refuse(request, error))
          : response
      } catch (error) {
        return refuse(request, error)
      }
    },
    get inflated() {
      return inflated
    },
  }
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

interface Sockets {
  requestIP(request: Request): { address: string } | null
}

/**
 * Separates the origins of games from the store. Only the Host header counts: it is part of every cache's key, while a
 * visitor could send any X-Forwarded-Host.
 */
export function createPlayHosts(
  { playUrl, baseUrl }: { playUrl: string | null; baseUrl: string },
  play: PlayServer | null,
  sockets: Sockets,
) {
  const readLabel = playUrl === null ? () => null : createLabelReader(playUrl)
  const headers = createOriginHeaders(baseUrl)
  return {
    labelOf: (request: Request) => readLabel(request.headers.get('host')),
    answer(request: Request, label: string): Response | Promise<Response> {
      if (play) return play.answer(request, label, () => sockets.requestIP(request)?.address)
      return new Response(refusalPage(request, new AppError('not_found'), baseUrl), {
        status: 404,
        headers: headers.page(),
      })
    },
  }
}

const SOURCES = "'self' 'unsafe-inline' 'unsafe-eval' 'wasm-unsafe-eval' blob: data:"
const ALLOWED = [...PLAY_FEATURES, 'pointer-lock']
const DENIED = ['camera', 'microphone', 'geolocation', 'payment', 'usb', 'serial', 'bluetooth']

interface OriginHeaders {
  /** The headers of the game's files; a new object for every answer. */
  file(isIsolated: boolean): Record<string, string>
  /** The headers of pages that we generate. */
  page(): Record<string, string>
}

export function createOriginHeaders(baseUrl: string): OriginHeaders {
  const common = {
    'cross-origin-resource-policy': 'cross-origin',
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'strict-origin-when-cross-origin',
    'permissions-policy': [
      ...ALLOWED.map((feature) => `${feature}=(self)`),
      ...DENIED.map((feature) => `${feature}=()`),
    ].join(', '),
  }
  const ending = `object-src 'none'; base-uri 'self'; form-action 'none'; frame-ancestors ${baseUrl}`
  const file = {
    ...common,
    'content-security-policy': `script-src ${SOURCES}; worker-src ${SOURCES}; connect-src 'self' ${baseUrl} https: wss: blob: data:; ${ending}`,
  }
  const isolated = { ...file, ...ISOLATION }
  const page = {
    ...common,
    ...ISOLATION,
    'content-security-policy': `default-src 'none'; style-src 'unsafe-inline'; ${ending}`,
    'content-type': 'text/html;charset=utf-8',
    'cache-control': 'no-store',
  }
  return {
    file: (isIsolated) => ({ ...(isIsolated ? isolated : file) }),
    page: () => ({ ...page }),
  }
}

const STYLE =
  'body{font:16px/1.5 system-ui,sans-serif;margin:0;min-height:100vh;display:grid;place-content:center;text-align:center;padding:1rem;box-sizing:border-box;background:#14161a;color:#eee}a{color:#8cc8ff}'

/**
 * A small page with a link back to the store. Inside the frame of the play page, where links are blocked, it
 * has text only.
 */
function refusalPage({ headers }: Request, { message, data }: AppError, baseUrl: string): string {
  const target = typeof data?.browse_url === 'string' ? data.browse_url : baseUrl
  const link = target === baseUrl ? 'To the store' : 'To the page of the game'
  const isFramed = headers.get('sec-fetch-dest') === 'iframe'
  const way = isFramed ? 'Press Leave to go back.' : `<a href="${escape(target)}">${link}</a>`
  return `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escape(message)}</title><style>${STYLE}</style><main><p>${escape(message)}</p><p>${way}</p></main></html>`
}

function escape(text: string): string {
  return Bun.escapeHTML(text)
}
