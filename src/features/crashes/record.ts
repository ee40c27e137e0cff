import type { Transaction } from '../../db/client.ts'
import type { Deps } from '../../deps.ts'
import { AppError, invalidField } from '../../errors.ts'
import { sha256Hex } from '../../lib/hash.ts'
import { createUid } from '../../lib/ids.ts'
import { readSentTime } from '../../lib/sent-time.ts'
import { recordLaunches, requestJudging, slotOf } from '../health/service.ts'
import { type CrashAccepted, type CrashReport, LOG_BYTES_MAX } from './model.ts'
import * as queries from './queries.ts'
import { signatureOf } from './signature.ts'

/** The build that crashed. */
export interface CrashedBuild {
  gameUid: string
  buildUid: string
  version: string
  /** Where the report came from, as a keyed hash; null where that is not known. */
  network: string | null
}

/** Answers after the commit. The same report sent again is counted once and gets the same answer. */
export async function recordCrash(
  { db }: Pick<Deps, 'db'>,
  build: CrashedBuild,
  report: CrashReport,
  now: number,
): Promise<CrashAccepted> {
  refuseLongLog(report.log)
  const time = readSentTime(report.at, now)
  if (!time) throw invalidField('at', `There is no such time as ${report.at}.`)
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
  return await db.transaction(async (tx) => {
    if (!(await queries.holdBuild(tx, build.gameUid, build.buildUid))) throw new AppError('not_a_game')
    const crashUid = await store(tx, build, signature, crash)
    const mark = beforeBoot ? 'crash' : null
    const { buildUid, network } = build
    const launch = { buildUid, deviceId, sessionId, mark, at: time.at, network } as const
    await recordLaunches(tx, [launch], now)
    await requestJudging(tx, [build.buildUid], slotOf(Date.now()))
    return { crash_uid: crashUid }
  })
}

async function store(
  tx: Transaction,
  { gameUid, buildUid, version }: CrashedBuild,
  signature: string,
  crash: Omit<queries.NewCrash, 'groupUid'> & { uid: string },
): Promise<string> {
  const { reason, frames, at } = crash
  const group = { gameUid, signature, reason, frames, buildUid, firstAt: at, lastAt: at }
  const groupUid = await queries.lockGroup(tx, group)
  const report = { ...crash, groupUid }
  if (!(await queries.insertCrash(tx, report))) {
    return (await queries.findCrashByKey(tx, crash.sentKey)) ?? crash.uid
  }
  const isNewDevice = await queries.insertDevice(tx, groupUid, crash.deviceId)
  await queries.insertVersion(tx, groupUid, version)
  await queries.countCrash(tx, report, isNewDevice)
  return crash.uid
}

function refuseLongLog(log: string | undefined): void {
  const bytes = Buffer.byteLength(log ?? '')
  if (bytes > LOG_BYTES_MAX) {
    throw new AppError('too_large', {
      message: `log has ${bytes} bytes; at most ${LOG_BYTES_MAX} are taken.`,
    })
  }
}
