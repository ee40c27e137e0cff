import type { OperatingSystem } from '../domain/builds/platforms.ts'
import type { AssetType } from '../domain/listings/listing.ts'
import type { SessionBucket } from '../domain/listings/taxonomy.ts'
import type { CrashReport } from '../features/telemetry/crashes/model.ts'
import type { LaunchEvent } from '../features/telemetry/health/launches.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { DAY_MS } from '../lib/utc-days.ts'
import type { DemoListing } from './listing-data.ts'

const SECOND_MS = 1000
const NEW_DAYS = 30
/** New listings appear on the shelf `unheard_of`: they have few devices, for a short time. */
const NEW_DEVICES = 12
const NEW_SINCE_DAYS = 10

const PLAYED: ReadonlySet<AssetType> = new Set(['game', 'application', 'tool'])
const SESSION_SECONDS: Readonly<Record<SessionBucket, number>> = {
  '15m': 800,
  '1h': 3300,
  '3h': 9000,
  endless: 5400,
}

/** Shares of the devices that booted, and that crashed before booting. */
type Profile = readonly [booted: number, crashed: number]
const GOOD: readonly Profile[] = [
  [0.995, 0.004],
  [0.96, 0.02],
]
const ANY: readonly Profile[] = [...GOOD, ...GOOD, [0.88, 0.07], [0.7, 0.18]]

const CRASHES = [
  { reason: 'SIGSEGV', functions: ['Inventory::drop', 'World::update', 'main'] },
  { reason: 'EXCEPTION_ACCESS_VIOLATION', functions: ['AudioMixer::fill', 'AudioThread::run'] },
  { reason: 'Out of memory', functions: ['TextureCache::load', 'Level::prepare', 'main'] },
  { reason: 'SIGABRT: save file has no header', functions: ['SaveFile::open', 'Menu::continueGame'] },
] as const

interface DemoTarget {
  buildUid: string
  os: OperatingSystem
}

/** Plans the events of the last weeks; none for listings that cannot be started by themselves. */
export function planLaunches(listing: DemoListing, { buildUid, os }: DemoTarget, now: Date): LaunchEvent[] {
  if (!PLAYED.has(listing.assetType)) return []
  const random = createRandom(`launches of ${listing.vanityName} on ${os}`)
  const isNew = listing.daysAgo <= NEW_DAYS
  const devices = isNew ? 4 + random.below(NEW_DEVICES - 4) : 40 + random.below(160)
  const [booted, crashed] = random.pick(listing.sessionBucket === '15m' ? GOOD : ANY)
  const days = Math.min(isNew ? NEW_SINCE_DAYS : NEW_DAYS, listing.daysAgo)
  const seconds = SESSION_SECONDS[listing.sessionBucket ?? '1h']
  return Array.from({ length: devices }, (_, index) => {
    const session = { buildUid, deviceId: `demo-${os}-${index}`, sessionId: 'demo', network: null }
    const started = now.getTime() - random.between(0.1, days) * DAY_MS
    const at = (after: number) => Math.round(started + after * SECOND_MS)
    if (index >= Math.ceil(devices * booted)) {
      const hasCrashed = devices - index <= Math.floor(devices * crashed)
      return [{ ...session, mark: hasCrashed ? ('crash' as const) : null, at: at(2) }]
    }
    const lasted = random.between(0.3, 1.7) * seconds
    return [
      { ...session, mark: 'boot' as const, at: at(3) },
      { ...session, mark: 'alive' as const, at: at(3) },
      { ...session, mark: 'alive' as const, at: at(3 + lasted) },
    ]
  }).flat()
}

/** Plans a few kinds of crashes for some of the older listings. */
export function planCrashes(listing: DemoListing, { os }: DemoTarget, now: Date): CrashReport[] {
  const random = createRandom(`crashes of ${listing.vanityName} on ${os}`)
  if (!PLAYED.has(listing.assetType) || listing.daysAgo <= NEW_DAYS || random.chance(0.5)) return []
  return random
    .draw(CRASHES, 1 + random.below(2))
    .flatMap((crash) =>
      Array.from({ length: 1 + random.below(4) }, () => makeReport(listing, os, crash, random, now)),
    )
}

function makeReport(
  { vanityName }: DemoListing,
  os: OperatingSystem,
  { reason, functions }: (typeof CRASHES)[number],
  random: Random,
  now: Date,
): CrashReport {
  return {
    device_id: `demo-${os}-${random.below(30)}`,
    session_id: `demo-crash-${random.below(1_000_000)}`,
    at: new Date(now.getTime() - random.between(0.1, 20) * DAY_MS).toISOString(),
    before_boot: false,
    reason,
    frames: functions.map((name) => ({
      module: vanityName,
      offset: random.below(0x100_000),
      function: name,
    })),
    os,
    log: `${vanityName} started\nloading the last place\n${reason}\n`,
  }
}
