import type { Transaction } from '../../../db/client.ts'
import type { Deps } from '../../../deps.ts'
import type { CrashFrame } from '../../../domain/builds/health.ts'
import { AppError, invalidField } from '../../../errors.ts'
import { sha256Hex } from '../../../lib/bytes/hash.ts'
import { createUid } from '../../../lib/ids.ts'
import { dayOf, parseSentTime } from '../../../lib/time.ts'
import { lockBuildRow } from '../../builds/shared-queries.ts'
import { recordLaunches } from '../health/launches.ts'
import { requestRating, slotOf } from '../health/rate-build.ts'
import type { EventQuota } from '../quota/service.ts'
import { type CrashAccepted, type CrashReport, LOG_BYTES_MAX, SIGNATURE_MAX } from './model.ts'
import * as queries from './queries.ts'

/** The size of a stored report without its stack and log: texts of at most 3 KB, and index entries. */
const ROW_BYTES = 1000
/** The daily quota of a game's reports. */
const PER_DAY: Readonly<queries.Spent> = { kinds: 200, logs: 200, bytes: 50 * 1024 * 1024 }
/** The share of one network, so that it cannot use up the quota of others. */
const NETWORK_PART = 1 / 4
/** Deeper frames are alike for different crashes, and differ between devices for the same crash. */
const TOP_FRAMES = 3
const HASH_CHARACTERS = 16
/** The group for new kinds of crashes beyond a game's daily quota. */
const OTHER_KINDS = 'other kinds of crashes'

/** The build that crashed. */
interface CrashedBuild {
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
  const time = parseSentTime(report.at, now)
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
  quota: queries.QuotaOwner,
): Promise<{ crashUid: string; bytes: number }> {
  const { ofGame, ofNetwork } = await queries.lockQuota(tx, quota)
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
  await queries.spendQuota(tx, quota, spent)
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

interface WantedReport {
  signature: string
  /** Whether this signature was never reported before. */
  isNewKind: boolean
  frames: CrashFrame[]
  log: string | undefined
}

interface StoredReport {
  signature: string
  frames: CrashFrame[]
  log: string | undefined
  spent: queries.Spent
}

/** Keeps as much of the report as fits into the quota. The crash itself always counts. */
function fitReport(report: WantedReport, ofGame: queries.Spent, ofNetwork: queries.Spent): StoredReport {
  const hasRoom = (wanted: Partial<queries.Spent>) =>
    fits(wanted, ofGame, 1) && fits(wanted, ofNetwork, NETWORK_PART)
  const isOwnKind = !report.isNewKind || hasRoom({ kinds: 1 })
  const stackBytes = Buffer.byteLength(JSON.stringify(report.frames))
  const hasStack = hasRoom({ bytes: stackBytes })
  const logBytes = Buffer.byteLength(report.log ?? '')
  const hasLog = report.log !== undefined && hasRoom({ logs: 1, bytes: stackBytes + logBytes })
  return {
    signature: isOwnKind ? report.signature : OTHER_KINDS,
    frames: hasStack ? report.frames : report.frames.slice(0, TOP_FRAMES),
    log: hasLog ? report.log : undefined,
    spent: {
      kinds: report.isNewKind && isOwnKind ? 1 : 0,
      logs: hasLog ? 1 : 0,
      bytes: (hasStack ? stackBytes : 0) + (hasLog ? logBytes : 0),
    },
  }
}

function fits(
  { kinds = 0, logs = 0, bytes = 0 }: Partial<queries.Spent>,
  spent: queries.Spent,
  part: number,
): boolean {
  return (
    spent.kinds + kinds <= PER_DAY.kinds * part &&
    spent.logs + logs <= PER_DAY.logs * part &&
    spent.bytes + bytes <= PER_DAY.bytes * part
  )
}

/** The default signature: `SIGSEGV | game.exe!load_level | game.exe+0x1f40`. */
function signatureOf(reason: string, frames: readonly CrashFrame[]): string {
  const signature = [reason, ...frames.slice(0, TOP_FRAMES).map(nameOfFrame)].join(' | ')
  if (signature.length <= SIGNATURE_MAX) return signature
  const hash = sha256Hex(signature).slice(0, HASH_CHARACTERS)
  return `${signature.slice(0, SIGNATURE_MAX - HASH_CHARACTERS - 2).toWellFormed()} #${hash}`
}

function nameOfFrame({ module, offset, function: name }: CrashFrame): string {
  return name ? `${module}!${name}` : `${module}+0x${offset.toString(16)}`
}
