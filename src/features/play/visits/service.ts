import type { Db } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { WebsiteUser } from '../../../domain/actor.ts'
import { DEV, STABLE } from '../../../domain/builds/channels.ts'
import { WEB_PLAYER_DEFAULTS, type WebPlayer } from '../../../domain/listings/web-player.ts'
import { playOrigin } from '../../../domain/play-origins.ts'
import { AppError } from '../../../errors.ts'
import { isUid } from '../../../lib/ids.ts'
import { listPlayableChannels } from '../../builds/channels/stable-files.ts'
import { loadPlayMinutes, openOwned, requireLicense, toMinutes } from '../../community/library/service.ts'
import { type GameAccess, openGame, refuseTakenDown } from '../../games/service.ts'
import { creditPlayTime } from '../../telemetry/ingest/play-time.ts'
import type { PlayAccess } from '../access/service.ts'
import type { PlayLink, PlayTime } from './model.ts'
import { creditJamPlay, findJamEntry, type JamEntryFacts } from './queries.ts'

export interface PlayRequest {
  /** Stable if left out. */
  channel?: string | undefined
  /** Any web build of the game, for its owner and admins. */
  buildUid?: string | undefined
  /** A jam by slug or uid: its version of the game. */
  jam?: string | undefined
}

/** What the play page shows. */
export interface PlayView {
  game: { uid: string; name: string; vanityName: string }
  player: WebPlayer
  build: { uid: string; version: string; bytes: number }
  /** The channels that this person can choose. */
  channels: string[]
  channel: string
  origin: string
  /** The first address of the frame; with a ticket that works once where not everyone may play. */
  url: string
  /** When the ticket expires; null without one. */
  expiresAt: Date | null
  /** Whether play time counts. */
  hasLicense: boolean
  /** The jam whose version this is; null: the version of the channel. */
  jam: { slug: string; title: string } | null
}

/** Throws the error of the download route if this person may not play. */
export async function openPlayPage(
  deps: Deps,
  access: PlayAccess,
  user: WebsiteUser | null,
  ref: string,
  request: PlayRequest,
): Promise<PlayView> {
  if (request.jam !== undefined) return await openJamPage(deps, access, user, ref, request.jam)
  const { game, role } = await openOwned(deps.db, user, ref)
  const origin = requireOrigin(deps, game.uid)
  const choice = toChoice(game.uid, user?.userUid ?? null, request, role !== null)
  const { facts, build } = await access.require(choice)
  const rights = { isMaker: role !== null, inBeta: facts.person?.license?.beta ?? false }
  // A visitor who may play several builds can be pinned to another one: only a ticket replaces the pin.
  const isOnlyChoice = !rights.isMaker && !rights.inBeta
  const ticket =
    isOnlyChoice && access.isOpenToAll(facts) ? null : access.sign({ ...choice, buildUid: build.uid })
  return {
    game: { uid: game.uid, name: game.name, vanityName: game.vanityName },
    player: facts.webPlayer ?? WEB_PLAYER_DEFAULTS,
    build: { uid: build.uid, version: build.version, bytes: build.size },
    channels: await listPlayableChannels(deps.db, game.uid, rights),
    channel: choice.channel,
    origin,
    url: ticket ? ticketUrl(origin, ticket.text) : `${origin}/`,
    expiresAt: ticket?.expiresAt ?? null,
    hasLicense: facts.person?.license?.pending === false,
    jam: null,
  }
}

/** The version of a jam, drafts too. Always with a ticket, which replaces the pin of an earlier visit. */
async function openJamPage(
  deps: Deps,
  access: PlayAccess,
  user: WebsiteUser | null,
  ref: string,
  jamRef: string,
): Promise<PlayView> {
  const { game, jam } = await requireJamEntry(deps.db, jamRef, ref)
  const origin = requireOrigin(deps, game.uid)
  const choice = toJamChoice(game.uid, user?.userUid ?? null, jam.uid)
  const { facts, build } = await access.require(choice)
  const ticket = access.sign({ ...choice, buildUid: build.uid })
  return {
    game,
    player: facts.webPlayer ?? WEB_PLAYER_DEFAULTS,
    build: { uid: build.uid, version: build.version, bytes: build.size },
    channels: [],
    channel: STABLE,
    origin,
    url: ticketUrl(origin, ticket.text),
    expiresAt: ticket.expiresAt,
    hasLicense: facts.person?.license?.pending === false,
    jam,
  }
}

/** A game that cannot be played, for the page that says why; drafts only inside a jam. */
export async function openRefused(
  { db }: Deps,
  user: WebsiteUser | null,
  ref: string,
  jam: string | undefined,
): Promise<JamEntryFacts['game']> {
  return jam === undefined
    ? (await openOwned(db, user, ref)).game
    : (await requireJamEntry(db, jam, ref)).game
}

/** For programs: an address with a ticket. */
export async function openPlay(
  deps: Deps,
  access: PlayAccess,
  user: WebsiteUser,
  ref: string,
  request: PlayRequest,
): Promise<PlayLink> {
  if (request.jam !== undefined) {
    const { url, expiresAt } = await openJamPage(deps, access, user, ref, request.jam)
    return { url, expires_at: (expiresAt ?? new Date()).toISOString() }
  }
  const { game, role } = await openToPlay(deps.db, user, ref)
  refuseTakenDown(game)
  const origin = requireOrigin(deps, game.uid)
  const choice = toChoice(game.uid, user.userUid, request, role !== null)
  const { build } = await access.require(choice)
  const { text, expiresAt } = access.sign({ ...choice, buildUid: build.uid })
  return { url: ticketUrl(origin, text), expires_at: expiresAt.toISOString() }
}

/** Counts like a heartbeat of the game itself. */
export async function recordHeartbeat(
  { db }: Deps,
  user: WebsiteUser,
  ref: string,
  session: string,
): Promise<PlayTime> {
  const { game } = await openToPlay(db, user, ref)
  await requireLicense(db, user.userUid, game.uid)
  const now = Date.now()
  await creditPlayTime(db, user.userUid, game.uid, [{ session: `web ${session}`, at: now }], now)
  return { play_minutes: await loadPlayMinutes(db, user.userUid, game.uid) }
}

/** The same in a jam, without a licence: play time opens the rating. */
export async function recordJamHeartbeat(
  deps: Deps,
  access: PlayAccess,
  user: WebsiteUser,
  { ref, session, jam: jamRef }: { ref: string; session: string; jam: string },
): Promise<PlayTime> {
  const { db } = deps
  const { entryUid, game, jam } = await requireJamEntry(db, jamRef, ref)
  const { facts } = await access.require(toJamChoice(game.uid, user.userUid, jam.uid))
  const seconds = await creditJamPlay(db, entryUid, user.userUid)
  if (facts.person?.license?.pending !== false) return { play_minutes: toMinutes(seconds) }
  return await recordHeartbeat(deps, user, game.uid, session)
}

async function requireJamEntry(db: Db, jamRef: string, ref: string): Promise<JamEntryFacts> {
  const entry = await findJamEntry(db, jamRef, ref)
  if (!entry) throw new AppError('not_found')
  return entry
}

function toJamChoice(gameUid: string, userUid: string | null, jam: string) {
  return { gameUid, userUid, channel: STABLE, buildUid: null, jam }
}

async function openToPlay(db: Db, user: WebsiteUser, ref: string): Promise<GameAccess> {
  return await openOwned(db, user, ref, () => openGame(db, user, ref, 'use'))
}

/** A build that was chosen by its uid counts as one of dev, so only owner and admins may play it. */
function toChoice(
  gameUid: string,
  userUid: string | null,
  { channel, buildUid }: PlayRequest,
  isMaker: boolean,
) {
  if (buildUid === undefined)
    return { gameUid, userUid, channel: channel ?? STABLE, buildUid: null, jam: null }
  if (!isMaker || !isUid(buildUid)) throw new AppError('not_found')
  return { gameUid, userUid, channel: DEV, buildUid: buildUid.toLowerCase(), jam: null }
}

function requireOrigin({ config }: Deps, gameUid: string): string {
  if (config.playUrl !== null) return playOrigin(config.playUrl, gameUid)
  throw new AppError('not_found', {
    message: 'Games cannot be played in the browser here: the operator of this store has not set PLAY_URL.',
  })
}

function ticketUrl(origin: string, ticket: string): string {
  return `${origin}/?ticket=${ticket}`
}
