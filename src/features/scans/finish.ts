import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { enqueue } from '../../jobs/queue.ts'
import { holdChannels, settleChannel } from '../channels/service.ts'
import { announceChange } from '../game-access/service.ts'
import { sendMail } from '../mail/jobs.ts'
import { deleteObjects } from '../storage/jobs.ts'
import type { Outcome } from './inspect.ts'
import { infectedMail, refusedMail } from './mails.ts'
import * as queries from './queries.ts'

/** Everything that follows from the result, or nothing of it. Whoever comes second finds nothing to do. */
export async function finishScan(deps: Deps, file: queries.FileRow, outcome: Outcome): Promise<void> {
  await deps.db.transaction(async (tx) => {
    await holdChannels(tx, file.gameUid)
    const { state, engine } = outcome
    const detail = outcome.state === 'clean' ? null : outcome.detail
    if (!(await queries.closeScan(tx, file.uid, { state, engine, detail }))) return
    if (outcome.state === 'clean') await releaseFile(tx, file, outcome.entries)
    else await removeFile(tx, file, outcome.state, outcome.detail)
    await announceChange(tx, file.gameUid)
  })
}

async function releaseFile(
  tx: Transaction,
  file: queries.FileRow,
  entries: readonly queries.EntryRow[],
): Promise<void> {
  await queries.insertEntries(tx, file.uid, entries)
  const keys = await queries.deleteReplaced(tx, file)
  if (keys.length > 0) await enqueue(tx, deleteObjects, { keys })
  await settleChannel(tx, file.buildUid, uploaderOf(file))
}

async function removeFile(
  tx: Transaction,
  file: queries.FileRow,
  state: 'infected' | 'error',
  detail: string,
): Promise<void> {
  await enqueue(tx, deleteObjects, { keys: [file.objectKey] })
  const reader = await queries.findReaderOfResult(tx, file.uid)
  if (!reader) return
  await enqueue(
    tx,
    sendMail,
    state === 'infected' ? infectedMail(reader, detail) : refusedMail(reader, detail),
  )
}

function uploaderOf({ source, keyLast4 }: queries.FileRow): string {
  return source === 'deploy_key' ? `deploy key …${keyLast4}` : 'website'
}
