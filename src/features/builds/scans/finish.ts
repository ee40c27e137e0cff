import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { notifyChange } from '../../games/service.ts'
import { lockGameRow } from '../../games/shared-queries.ts'
import { sendMail } from '../../mail/jobs.ts'
import { discardImmediately, discardObjects } from '../../storage/service.ts'
import { attestFile } from '../attestations/service.ts'
import { settleChannel } from '../channels/moves.ts'
import { recordEntries } from '../contents/service.ts'
import { findChannelRefusal } from '../deploy-keys/channels.ts'
import type { Outcome } from './inspect.ts'
import { infectedMail, refusedMail } from './mails.ts'
import * as queries from './queries.ts'

/** Applies all consequences of the result in one transaction. A second call for the same file changes nothing. */
export async function finishScan(
  deps: Deps,
  file: queries.FileRow,
  found: Outcome,
  isRepeat = false,
): Promise<void> {
  const keys = await deps.db.transaction(async (tx) => {
    await lockGameRow(tx, file.gameUid, 'no key update')
    const outcome = isRepeat ? found : await refuseReleased(tx, file, found)
    const { state, engine } = outcome
    const detail = outcome.state === 'clean' ? null : outcome.detail
    if (!(await queries.closeScan(tx, file.uid, { state, engine, detail }))) return []
    const unused =
      outcome.state === 'clean' ? await releaseFile(tx, file, outcome, isRepeat) : [file.objectKey]
    await attestFile(deps, tx, file.uid)
    await discardObjects(tx, { keys: unused })
    if (outcome.state !== 'clean') await reportRefusal(tx, file, outcome.state, outcome.detail)
    await notifyChange(tx, file.gameUid)
    return unused
  })
  await discardImmediately(deps, { keys })
}

/** The build may have been released on another channel since the file was sent. */
async function refuseReleased(tx: Transaction, file: queries.FileRow, found: Outcome): Promise<Outcome> {
  if (found.state !== 'clean') return found
  const refusal = await findChannelRefusal(tx, { channels: file.keyChannels }, file.buildUid)
  return refusal === null ? found : { state: 'error', engine: found.engine, detail: refusal }
}

/** Returns the object keys of the files that it replaces. */
async function releaseFile(
  tx: Transaction,
  file: queries.FileRow,
  { entries, contents, layoutFaults, entryPage }: Extract<Outcome, { state: 'clean' }>,
  isRepeat: boolean,
): Promise<string[]> {
  await recordEntries(tx, file.uid, entries, contents)
  if (entryPage !== null) await queries.saveEntryPage(tx, file.uid, entryPage)
  if (layoutFaults.length > 0) await queries.saveLayoutFaults(tx, file.uid, layoutFaults)
  const replaced = await queries.deleteReplaced(tx, file)
  if (!isRepeat) await settleChannel(tx, file.buildUid, uploaderOf(file))
  return replaced
}

async function reportRefusal(
  tx: Transaction,
  file: queries.FileRow,
  state: 'infected' | 'error',
  detail: string,
): Promise<void> {
  const reader = await queries.findReaderOfResult(tx, file.uid)
  if (!reader) return
  await enqueue(
    tx,
    sendMail,
    state === 'infected' ? infectedMail(reader, detail) : refusedMail(reader, detail),
  )
}

function uploaderOf({ source, keyLast4, origin }: queries.FileRow): string {
  if (origin) return `${origin.repository} at ${origin.commit.slice(0, 7)}`
  return source === 'deploy_key' ? `deploy key …${keyLast4}` : 'website'
}
