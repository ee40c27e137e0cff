import type { Deps } from '../../../deps.ts'
import { AppError } from '../../../errors.ts'
import { createKeyedSemaphore } from '../../../lib/flow/semaphore.ts'
import { readFormFile, type ReceivedFile } from '../../../lib/form/multipart.ts'
import { type Arrival, extendIdleTimeout } from '../../../lib/net/idle-timeout.ts'
import { reserveStorage } from '../../storage/quota.ts'
import { FILE_BYTES_MAX, RECEIVE_MS } from './model.ts'
import { imageMemory } from './process.ts'

const UPLOADS_PER_ACCOUNT = 2

const byAccount = createKeyedSemaphore(UPLOADS_PER_ACCOUNT)

/** Receives the `file` of a form and passes it to `save`. Further uploads of the account wait unread. */
export async function receiveImage<Result>(
  deps: Deps,
  arrival: Arrival,
  { accountUid, gameUid }: { accountUid: string; gameUid: string },
  save: (file: ReceivedFile) => Promise<Result>,
): Promise<Result> {
  await using held = new AsyncDisposableStack()
  held.use(await extendIdleTimeout(arrival, () => waitForOthers(accountUid)))
  const length = Number(arrival.request.headers.get('content-length') ?? FILE_BYTES_MAX)
  const bytes = Math.min(length, FILE_BYTES_MAX)
  held.use(await reserveStorage(deps, gameUid, { bytes, ms: 2 * RECEIVE_MS }))
  const receipt = held.use(imageMemory.open())
  const file = await readFormFile(arrival.request, {
    field: 'file',
    maxBytes: FILE_BYTES_MAX,
    signal: AbortSignal.any([AbortSignal.timeout(RECEIVE_MS), receipt.signal]),
    onBytes: receipt.add,
  })
  receipt.complete()
  return await save(file)
}

/** Waits for other uploads of the same account. */
async function waitForOthers(accountUid: string): Promise<Disposable> {
  const signal = AbortSignal.timeout(RECEIVE_MS)
  try {
    return await byAccount.acquire(accountUid, signal)
  } catch (cause) {
    if (!signal.aborted) throw cause
    throw new AppError('rate_limited', {
      message: `This account is already uploading ${UPLOADS_PER_ACCOUNT} images. Try again when they are done.`,
      headers: { 'retry-after': '60' },
      cause,
    })
  }
}
