import type { CrashFrame } from '../../../domain/builds/crash-frames.ts'
import type { Spent } from './quota-queries.ts'
import { OTHER_KINDS, TOP_FRAMES } from './signature.ts'

/** The daily quota of a game's reports. */
const PER_DAY: Readonly<Spent> = { kinds: 200, logs: 200, bytes: 50 * 1024 * 1024 }
/** The share of one network, so that it cannot use up the quota of others. */
const NETWORK_PART = 1 / 4

export interface WantedReport {
  signature: string
  /** Whether this signature was never reported before. */
  isNewKind: boolean
  frames: CrashFrame[]
  log: string | undefined
}

export interface StoredReport {
  signature: string
  frames: CrashFrame[]
  log: string | undefined
  spent: Spent
}

/** Keeps as much of the report as fits into the quota. The crash itself always counts. */
export function fitReport(report: WantedReport, ofGame: Spent, ofNetwork: Spent): StoredReport {
  const hasRoom = (wanted: Partial<Spent>) => fits(wanted, ofGame, 1) && fits(wanted, ofNetwork, NETWORK_PART)
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

function fits({ kinds = 0, logs = 0, bytes = 0 }: Partial<Spent>, spent: Spent, part: number): boolean {
  return (
    spent.kinds + kinds <= PER_DAY.kinds * part &&
    spent.logs + logs <= PER_DAY.logs * part &&
    spent.bytes + bytes <= PER_DAY.bytes * part
  )
}
