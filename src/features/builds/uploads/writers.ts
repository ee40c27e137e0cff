import { createProcessClaim } from '../../../db/locks/process-claim.ts'
import { notify } from '../../../db/notify/notify.ts'
import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import * as queries from './queries.ts'

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

export interface Writers {
  /** Throws for a session that is unknown, of another game, expired, or currently being written. */
  claim(session: queries.SessionRef): Promise<Claim>
}

/** One writer per session across all processes. A killed process loses its claims. */
export async function createWriters({ config, database, db, log }: Deps): Promise<Writers> {
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
