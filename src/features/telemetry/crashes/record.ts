import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createUid } from '../../../lib/ids.ts'
import { readSentTime } from '../../../lib/sent-time.ts'
import { dayOf } from '../../../lib/utc-days.ts'
import { lockBuildRow } from '../../builds/shared-queries.ts'
import { recordLaunches } from '../health/launches.ts'
import { requestRating, slotOf } from '../health/rate-build.ts'
import type { EventQuota } from '../quota/service.ts'
import { type CrashAccepted, type CrashReport, LOG_BYTES_MAX } from './model.ts'
import * as queries from './queries.ts'
import { lockQuota, type QuotaOwner, spendQuota } from './quota-queries.ts'
import { fitReport } from './quota.ts'
import { signatureOf } from './signature.ts'

/** What a stored report takes beside its stack and log: texts of at most 3 KB, and indexes. */
const ROW_BYTES = 1000

/** The build that crashed. */
export interface CrashedBuild {
  gameUid: string
  buildUid: string
  version: string
  /** A keyed hash of the sender's network; null if it is unknown. */
  network: string | null
}

/** Returns after the commit. A repeated report is counted once and gets the same response. */
export async function recordCrash(
  { db, quota }: Pick<Deps, 'db'> & { quota: EventQuota | null },
  build: CrashedBuild,
  report: CrashReport,
  now: number,
): Promise<CrashAccepted> {
  refuseLongLog(report.log)
  const time = readSentTime(report.at, now)
  if (!time) throw invalidField('at', 'must be a time such as 2026-01-31T12:00:00.000Z.')
  const { device_id: deviceId, session_id: sessionId, before_boot: beforeBoot, reason, frames } = report
  const signature = report.signature ?? signatureOf(reason, frames)
  const identity = [build.buildUid, deviceId, sessionId, time.sentAt, signature].join('\0')
  const crash = {
    uid: createUid(),
    sentKey: sha256Hex(identity),
    buildUid: build.buildUid,
    deviceId,
    sessionId,
    at: new Date(time.at),
    beforeBoot,
    reason,
    frames,
    clientVersion: report.client_version,
    os: report.os,
    arch: report.arch,
    log: report.log,
  }
  const sent = ROW_BYTES + Buffer.byteLength(JSON.stringify(report))
  using held = new DisposableStack()
  held.use(quota?.reserve(build, { events: 1, bytes: sent }, now))
  const { crashUid, noteTotals } = await db.transaction(async (tx) => {
    if (!(await lockBuildRow(tx, build.gameUid, build.buildUid, 'key share')))
      throw new AppError('not_a_game')
    const mark = beforeBoot ? 'crash' : null
    const { gameUid, buildUid, network } = build
    const launch = { buildUid, deviceId, sessionId, mark, at: time.at, network } as const
    await recordLaunches(tx, [launch], now)
    const stored = await store(tx, build, signature, crash, { gameUid, network, day: dayOf(now) })
    await requestRating(tx, [build.buildUid], slotOf(Date.now()))
    const used = { gameUid, network, events: 1, bytes: ROW_BYTES + stored.bytes }
    return { ...stored, noteTotals: await quota?.add(tx, [used], now) }
  })
  noteTotals?.()
  return { crash_uid: crashUid }
}

/** Stores as much of the report as fits into the day's quota; the crash always counts. */
async function store(
  tx: Transaction,
  { gameUid, buildUid, version }: CrashedBuild,
  sentSignature: string,
  crash: Omit<queries.NewCrash, 'groupUid'> & { uid: string; log: string | undefined },
  quota: QuotaOwner,
): Promise<{ crashUid: string; bytes: number }> {
  const { ofGame, ofNetwork } = await lockQuota(tx, quota)
  const stored = await queries.findCrashByKey(tx, crash.sentKey)
  if (stored !== undefined) return { crashUid: stored, bytes: 0 }
  const isNewKind = !(await queries.hasGroup(tx, gameUid, sentSignature))
  const wanted = { signature: sentSignature, isNewKind, frames: crash.frames, log: crash.log }
  const { signature, frames, log, spent } = fitReport(wanted, ofGame, ofNetwork)
  const { reason, at } = crash
  const group = { gameUid, signature, reason, frames, buildUid, firstAt: at, lastAt: at }
  const report = { ...crash, frames, log, groupUid: await queries.lockGroup(tx, group) }
  // A concurrent copy was stored around midnight: the quota lock is per day, so this one did not wait for it.
  if (!(await queries.insertCrash(tx, report)))
    return { crashUid: (await queries.findCrashByKey(tx, crash.sentKey)) ?? crash.uid, bytes: 0 }
  await queries.insertVersion(tx, report.groupUid, version)
  await queries.countCrash(tx, report, await queries.insertDevice(tx, report))
  await spendQuota(tx, quota, spent)
  return { crashUid: crash.uid, bytes: spent.bytes }
}

function refuseLongLog(log: string | undefined): void {
  const bytes = Buffer.byteLength(log ?? '')
  if (bytes > LOG_BYTES_MAX) {
    throw new AppError('too_large', {
      message: `log has ${bytes} bytes; the limit is ${LOG_BYTES_MAX}.`,
    })
  }
}
