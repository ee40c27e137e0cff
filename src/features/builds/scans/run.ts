import { composeMail, type MailMessage, type Recipient } from '../../../clients/mail/mail.ts'
import { ScannerError } from '../../../clients/scanner/scanner.ts'
import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { REFUSAL_TEXTS } from '../../../domain/builds/files.ts'
import { studioUrl } from '../../../domain/site-urls.ts'
import type { JobContext } from '../../../jobs/define.ts'
import { enqueue } from '../../../jobs/queue.ts'
import { NAME_MAX, showName } from '../../../lib/text/names.ts'
import { DAY_MS } from '../../../lib/time.ts'
import { notifyChange } from '../../games/service.ts'
import { lockGameRow } from '../../games/shared-queries.ts'
import { sendMail } from '../../mail/jobs.ts'
import { discardImmediately, discardObjects } from '../../storage/service.ts'
import { attestFile } from '../attestations/service.ts'
import { settleChannel } from '../channels/moves.ts'
import { recordEntries } from '../contents/service.ts'
import { findChannelRefusal } from '../deploy-keys/service.ts'
import { inspectFile, type Outcome } from './inspect.ts'
import { type ScanFile, scanFile, scanKey } from './jobs.ts'
import * as queries from './queries.ts'

const SECOND_MS = 1000
const DELAY_MAX_MS = 5 * 60 * SECOND_MS
const GIVE_UP_AFTER_MS = DAY_MS

/** May run twice for one file, even concurrently: only the first result counts. */
export async function runScan(deps: Deps, task: ScanFile, context: JobContext): Promise<void> {
  const file = await queries.findScanningFile(deps.db, task.fileUid)
  if (!file) return
  if (context.attempt >= (scanFile.maxAttempts ?? 0)) {
    const detail = 'The scan was interrupted several times. Upload the file again.'
    return await finishScan(deps, file, { state: 'error', engine: null, detail })
  }
  using held = new DisposableStack()
  try {
    const outcome = await inspectFile(deps, file, context.signal, held)
    if ('isAltered' in outcome) {
      context.log.error('A stored file is not the one that was uploaded', {
        file_uid: file.uid,
        object_key: file.objectKey,
        checksum: file.checksum,
      })
      context.countIncident('stored_bytes_differ')
    }
    await finishScan(deps, file, outcome, task.isRepeat)
  } catch (error) {
    context.signal.throwIfAborted()
    context.log.warn('A scan failed and was postponed', { file_uid: file.uid, error })
    await postpone(deps, file, task, error)
  }
}

/** An unreachable scanner or store delays files; they fail only after a day. */
async function postpone(deps: Deps, file: queries.FileRow, task: ScanFile, error: unknown): Promise<void> {
  const now = new Date()
  const since = task.waitingSince === undefined ? now : new Date(task.waitingSince)
  const runAt = nextAttempt(since, now)
  if (runAt) {
    const again = { ...task, waitingSince: since.toISOString() }
    return await enqueue(deps.db, scanFile, again, { runAt, key: scanKey(file.uid) })
  }
  const missing = error instanceof ScannerError ? 'The scanner' : 'The stored file'
  const detail = `${missing} could not be reached for a day. Upload the file again.`
  await finishScan(deps, file, { state: 'error', engine: null, detail })
}

/** The delay grows from a second to five minutes; returns null after a day. */
export function nextAttempt(since: Date, now: Date): Date | null {
  const waited = now.getTime() - since.getTime()
  if (waited >= GIVE_UP_AFTER_MS) return null
  return new Date(now.getTime() + Math.min(DELAY_MAX_MS, Math.max(SECOND_MS, waited / 2)))
}

/** Applies all consequences of the result in one transaction. A second call for the same file changes nothing. */
async function finishScan(
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
    if (outcome.state !== 'clean') await reportRefusal(tx, deps.config.baseUrl, file, outcome)
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
  await queries.keepPinned(tx, file)
  const replaced = await queries.deleteReplaced(tx, file)
  if (!isRepeat) await settleChannel(tx, file.buildUid, uploaderOf(file))
  return replaced
}

async function reportRefusal(
  tx: Transaction,
  baseUrl: string,
  file: queries.FileRow,
  { state, detail }: Exclude<Outcome, { state: 'clean' }>,
): Promise<void> {
  const reader = await queries.findReaderOfResult(tx, file.uid)
  if (!reader) return
  const refused = { ...reader, detail, buildsUrl: studioUrl(baseUrl, reader.vanityName, 'builds') }
  await enqueue(tx, sendMail, state === 'infected' ? infectedMail(refused) : rejectedMail(refused))
}

function uploaderOf({ source, keyLast4, origin }: queries.FileRow): string {
  if (origin) return `${origin.repository} at ${origin.commit.slice(0, 7)}`
  return source === 'deploy_key' ? `deploy key …${keyLast4}` : 'website'
}

interface RefusedFile extends Recipient {
  detail: string
  buildsUrl: string
  title: string
  filename: string
  version: string
  os: string
  arch: string
}

function infectedMail(file: RefusedFile): MailMessage {
  return refusalMail(file, `Scan: threat found in ${file.filename}`, [
    `The scan of ${describe(file)} found:\n${file.detail}`,
    ...REFUSAL_TEXTS.infected,
  ])
}

function rejectedMail(file: RefusedFile): MailMessage {
  return refusalMail(file, `Scan: ${file.filename} was rejected`, [
    `The scan of ${describe(file)} could not be completed:\n${file.detail}`,
    ...REFUSAL_TEXTS.error,
  ])
}

function refusalMail(file: RefusedFile, subject: string, paragraphs: readonly string[]): MailMessage {
  const button = { label: 'Your builds', url: file.buildsUrl }
  return composeMail(file, subject, [...paragraphs, `${button.label}: ${button.url}`], button)
}

function describe({ filename, title, version, os, arch }: RefusedFile): string {
  return `${filename} (${showName(title, NAME_MAX)} ${showName(version, NAME_MAX)}, ${os} ${arch})`
}
