import { and, eq, inArray, notExists } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { builds, channelPointers, files } from '../db/schema/builds.ts'
import { downloadEvents } from '../db/schema/catalog.ts'
import { games } from '../db/schema/games/games.ts'
import { launchDevices } from '../db/schema/telemetry.ts'
import type { Deps } from '../deps.ts'
import { STABLE } from '../domain/builds/channels.ts'
import type { OperatingSystem } from '../domain/builds/platforms.ts'
import type { SessionBucket } from '../domain/listings/fields.ts'
import type { AssetType } from '../domain/listings/listing.ts'
import type { CrashReport } from '../features/telemetry/crashes/model.ts'
import { recordCrash } from '../features/telemetry/crashes/record.ts'
import { type LaunchEvent, recordLaunches } from '../features/telemetry/health/launches.ts'
import { updateRating } from '../features/telemetry/health/rate-build.ts'
import { createRandom, type Random } from '../lib/random.ts'
import { DAY_MS } from '../lib/time.ts'
import { DEMO_LISTINGS, DEMO_NAMES, type DemoListing, DEVELOPERS } from './data.ts'
import { lockDemo } from './queries.ts'

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

/**
 * Adds telemetry for the demo builds, so that health, shelves and crashes are not empty. Can be run again to
 * add missing data. Returns the number of builds with new telemetry.
 */
export async function loadDemoTelemetry(deps: Deps): Promise<number> {
  const now = new Date()
  const heard = await deps.db.transaction(async (tx) => {
    await lockDemo(tx)
    const plans = (await listSilentBuilds(tx, DEMO_NAMES)).flatMap((build) => {
      const listing = DEMO_LISTINGS.find(({ vanityName }) => vanityName === build.vanityName)
      if (!listing || DEVELOPERS[listing.by].email !== build.email) return []
      const launches = planLaunches(listing, build, now)
      return launches.length > 0 ? [{ build, listing, launches }] : []
    })
    const launches = plans.flatMap((plan) => plan.launches)
    if (launches.length > 0) await recordLaunches(tx, launches, now.getTime())
    return plans
  })
  for (const { build, listing } of heard) {
    // Each report is recorded with the time it happened.
    for (const report of planCrashes(listing, build, now)) {
      await recordCrash(
        { db: deps.db, quota: null },
        { ...build, network: null },
        report,
        Date.parse(report.at),
      )
    }
    await updateRating(deps, build.buildUid, now)
  }
  return heard.length
}

interface DemoTarget {
  buildUid: string
  os: OperatingSystem
}

/** Plans the events of the last weeks; none for listings that cannot be started by themselves. */
function planLaunches(listing: DemoListing, { buildUid, os }: DemoTarget, now: Date): LaunchEvent[] {
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
function planCrashes(listing: DemoListing, { os }: DemoTarget, now: Date): CrashReport[] {
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

/** Lists stable builds of these listings without telemetry, with the e-mail address of their owner. */
async function listSilentBuilds(db: Db, names: readonly string[]) {
  const heard = db
    .select({ deviceId: launchDevices.deviceId })
    .from(launchDevices)
    .where(eq(launchDevices.buildUid, builds.uid))
  return await db
    .select({
      gameUid: builds.gameUid,
      buildUid: builds.uid,
      version: builds.version,
      os: builds.os,
      vanityName: games.vanityName,
      email: users.email,
    })
    .from(builds)
    .innerJoin(games, eq(games.uid, builds.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .innerJoin(
      channelPointers,
      and(eq(channelPointers.buildUid, builds.uid), eq(channelPointers.channel, STABLE)),
    )
    .where(and(inArray(games.vanityName, [...names]), notExists(heard)))
}

const DAYS = 14
const MOST_A_DAY = 5
/** The developers who can sign in and look at the figures. */
const READERS = [DEVELOPERS['lantern-works'].email, DEVELOPERS['moss-jam'].email]
const SOURCES = ['signed_out', 'signed_out', 'library', 'redirect'] as const
const CLIENTS = ['firefox', 'chrome', 'safari', 'other'] as const
const COUNTRIES = ['DE', 'US', 'JP', 'BR', null] as const
const OUTCOMES = [200, 200, 200, 200, 200, 200, 4030] as const

/** Adds two weeks of downloads for the demo developers' charts, to files without any downloads. */
export async function loadDemoDownloads({ db }: Deps): Promise<void> {
  const now = Date.now()
  await db.transaction(async (tx) => {
    await lockDemo(tx)
    const files = await listUnreadFiles(tx, READERS)
    await insertDownloads(
      tx,
      files.flatMap((file) => planDownloads(file, now)),
    )
  })
}

type DownloadValues = typeof downloadEvents.$inferInsert

interface DemoFile {
  uid: string
  gameUid: string
  filename: string
}

function planDownloads({ uid, gameUid, filename }: DemoFile, now: number): DownloadValues[] {
  const random = createRandom(`downloads of ${filename}`)
  return Array.from({ length: DAYS }, (_, day) =>
    Array.from({ length: random.below(MOST_A_DAY + 1) }, () => ({
      gameUid,
      fileUid: uid,
      at: new Date(now - day * DAY_MS - random.below(DAY_MS)),
      source: random.pick(SOURCES),
      client: random.pick(CLIENTS),
      country: random.pick(COUNTRIES),
      outcome: random.pick(OUTCOMES),
    })),
  ).flat()
}

/** Clean files of these people's listings that nobody has downloaded. */
async function listUnreadFiles(db: Db, emails: readonly string[]) {
  const known = db.select().from(downloadEvents).where(eq(downloadEvents.fileUid, files.uid))
  return await db
    .select({ uid: files.uid, gameUid: files.gameUid, filename: files.filename })
    .from(files)
    .innerJoin(games, eq(games.uid, files.gameUid))
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(and(inArray(users.email, [...emails]), eq(files.scan, 'clean'), notExists(known)))
}

async function insertDownloads(tx: Transaction, values: readonly DownloadValues[]): Promise<void> {
  if (values.length > 0) await tx.insert(downloadEvents).values([...values])
}
