import type { Db, Transaction } from '../../../db/client.ts'
import { createProcessClaim } from '../../../db/locks/process-claim.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import { keyExpired } from '../../../domain/actor.ts'
import type { UploadSource } from '../../../domain/builds/files.ts'
import type { BuildOrigin } from '../../../domain/builds/publishers.ts'
import { AppError } from '../../../errors.ts'
import { BoundedCache } from '../../../lib/cache/bounded-cache.ts'
import { createSha256, type Sha256 } from '../../../lib/sha256/sha256.ts'
import { discardObjects } from '../../storage/service.ts'
import { requireBuildChannels } from '../deploy-keys/service.ts'
import { requireBuild } from '../service.ts'
import * as queries from './queries.ts'

/** State that the uploads of one process share. */
export interface Uploads {
  deps: Deps
  writers: Writers
  hashes: RunningHashes
  inFlight: InFlight
}

export async function createUploads(deps: Deps): Promise<Uploads> {
  const [writers, inFlight] = await Promise.all([createWriters(deps), createInFlight(deps)])
  return { deps, writers, hashes: createRunningHashes(), inFlight }
}

const CONTENDED = 'upload_contended'
/** After this silence a chunk is aborted when its client retries on a new connection. */
const SILENT_MAX_MS = 5000

/** The exclusive right to write to one session, until disposed. */
export interface Claim extends AsyncDisposable {
  session: queries.SessionRow
  /** Fires when the claim is lost, or passed to a newer request. */
  signal: AbortSignal
  /** Registers a callback that returns how long the sender has been silent. */
  watch(silentMs: () => number): void
}

interface Writers {
  /** Throws for a session that is unknown, of another game, expired, or currently being written. */
  claim(session: queries.SessionRef): Promise<Claim>
}

/** One writer per session across all processes. A killed process loses its claims. */
async function createWriters({ config, database, db, log }: Deps): Promise<Writers> {
  const thisProcess = createProcessClaim(config.databaseUrl)
  const writing = new Map<string, Writing>()
  await database.listen(
    CONTENDED,
    (uid) => writing.get(uid)?.giveWay(),
    () => undefined,
  )

  async function refuse(ref: queries.SessionRef): Promise<never> {
    if (!(await queries.findSession(db, ref))) throw new AppError('upload_session_gone')
    await notify(db, CONTENDED, ref.uid)
    throw new AppError('chunk_in_progress')
  }

  return {
    async claim({ uid, gameUid }) {
      const ref = { uid: uid.toLowerCase(), gameUid }
      if (writing.has(ref.uid)) return await refuse(ref)
      const current = new Writing()
      writing.set(ref.uid, current)
      await using cleanup = new AsyncDisposableStack()
      cleanup.defer(() => void writing.delete(ref.uid))
      const hold = await thisProcess.hold()
      cleanup.defer(() => hold.release())
      const session = await queries.claimSession(db, ref, hold.name)
      if (!session) return await refuse(ref)
      cleanup.defer(async () => {
        // A claim that stays in the row can be taken again by this process, and is void when the process ends.
        await queries.releaseSession(db, ref.uid, hold.name).catch((error: unknown) => {
          log.warn('The claim on an upload session could not be released', { error })
        })
      })
      const held = cleanup.move()
      return {
        session,
        signal: AbortSignal.any([hold.lost, current.signal]),
        watch: (silentMs) => (current.silentMs = silentMs),
        [Symbol.asyncDispose]: () => held.disposeAsync(),
      }
    },
  }
}

class Writing {
  readonly #stop = new AbortController()
  readonly signal = this.#stop.signal
  silentMs = () => 0

  giveWay(): void {
    if (this.silentMs() < SILENT_MAX_MS) return
    this.#stop.abort(new Error('The client retries on another connection'))
  }
}

const UPLOADS_ENDED = 'uploads_ended'

/** A request that receives a file, until disposed. */
interface Receiving extends Disposable {
  /** Fires with the error for the client when the uploads of the game are ended. */
  signal: AbortSignal
}

interface InFlight {
  enter(gameUid: string): Receiving
}

/** The requests of this process that receive files, by game. */
async function createInFlight({ database }: Pick<Deps, 'database'>): Promise<InFlight> {
  const games = new Map<string, Set<AbortController>>()
  await database.listen(
    UPLOADS_ENDED,
    (gameUid) => games.get(gameUid)?.forEach((request) => request.abort(ownerSuspended())),
    () => undefined,
  )
  return {
    enter(gameUid) {
      const request = new AbortController()
      const requests = games.get(gameUid) ?? new Set()
      games.set(gameUid, requests.add(request))
      return {
        signal: request.signal,
        [Symbol.dispose]() {
          requests.delete(request)
          if (requests.size === 0) games.delete(gameUid)
        },
      }
    },
  }
}

/** Ends every upload to the games of an account: open sessions, and requests in flight in any process. */
export async function endUploadsOfOwner(tx: Transaction, ownerUid: string): Promise<void> {
  const ended = await queries.deleteSessionsOfOwner(tx, ownerUid)
  const unfinished = ended.filter(({ fileUid }) => fileUid === null)
  await discardObjects(tx, {
    keys: unfinished.map(({ objectKey }) => objectKey),
    uploads: unfinished.map(({ uploadId }) => uploadId),
  })
  // When the transaction commits, every process aborts its uploads to these games.
  await notify(tx, UPLOADS_ENDED, ...(await queries.listGamesOfOwner(tx, ownerUid)))
}

const MAX_HASHES = 1000

type RunningHashes = ReturnType<typeof createRunningHashes>

/**
 * The hashes of uploads of which this process has seen every byte. Where one is missing (another process wrote, or
 * this one was restarted), the bytes are read back at the end instead.
 */
export function createRunningHashes() {
  const cached = new BoundedCache<Sha256>({ maxEntries: MAX_HASHES })
  return {
    /** Removes the hash, so that a failed writer leaves no wrong one; null unless it covers exactly `size` bytes. */
    take(session: string, size: number): Sha256 | null {
      const hash = size === 0 ? createSha256() : cached.get(session)
      cached.delete(session)
      return hash?.size === size ? hash : null
    },
    keep(session: string, hash: Sha256): void {
      cached.set(session, hash)
    },
  }
}

/** The game an upload is for, and its deploy key; null for uploads from the website. */
export interface Target {
  gameUid: string
  /** The owner of the game. */
  ownerUid: string
  keyUid: string | null
  /** The only channels that it may upload to; null for all. */
  channels: readonly string[] | null
  /** It may only finish uploads that it began. */
  hasExpired: boolean
}

/** Who uploads, for the file's provenance. */
export interface Uploader {
  gameUid: string
  source: UploadSource
  keyUid: string | null
  keyLast4: string | null
  origin: BuildOrigin | null
}

/** Whether the owner's address is confirmed, without which nobody may upload. */
export async function mayUpload(db: Db, gameUid: string): Promise<boolean> {
  return (await queries.findUploader(db, gameUid, null))?.emailVerified ?? false
}

export async function requireUploader(
  db: Db,
  { gameUid, keyUid, hasExpired }: Pick<Target, 'gameUid' | 'keyUid' | 'hasExpired'>,
): Promise<Uploader> {
  if (hasExpired) throw keyExpired()
  const found = await queries.findUploader(db, gameUid, keyUid)
  if (!found) throw new AppError('not_found')
  if (found.suspendedAt) throw ownerSuspended()
  if (!found.emailVerified) throw new AppError('email_not_verified')
  const { accessToken, origin } = found
  if (origin) return { gameUid, source: 'trusted_publisher', keyUid, keyLast4: null, origin }
  const source = keyUid === null ? 'website' : 'deploy_key'
  return { gameUid, source, keyUid, keyLast4: accessToken?.slice(-4) ?? null, origin: null }
}

/**
 * An expired key may finish uploads that it opened. Only the same run of a trusted publisher may continue its upload,
 * because the recorded origin must be true of all bytes.
 */
export async function requireMayContinue(
  db: Db,
  { keyUid, gameUid, channels, hasExpired }: Target,
  session: queries.SessionRow,
): Promise<void> {
  const isOwn = keyUid !== null && session.keyUid === keyUid
  if (hasExpired && !isOwn) throw keyExpired()
  if (channels !== null)
    await requireBuildChannels(db, { channels }, await requireBuild(db, gameUid, session.buildUid))
  if (session.origin === null || isOwn) return
  const { origin = null } = (keyUid !== null && (await queries.findUploader(db, gameUid, keyUid))) || {}
  if (Bun.deepEquals(origin, session.origin)) return
  throw new AppError('forbidden', {
    message:
      'A pipeline of a trusted publisher began this upload, and only the same run of it can go on. Open a new session.',
  })
}

export function ownerSuspended(): AppError {
  return new AppError('forbidden', {
    message: 'The owner of this game is suspended, so nothing can be uploaded to it.',
  })
}
