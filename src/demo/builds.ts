import { eq, inArray, notExists } from 'drizzle-orm'

import type { Db, Transaction } from '../db/client.ts'
import { users } from '../db/schema/accounts.ts'
import { apps, builds, fileEntries, files, scanEvents } from '../db/schema/builds.ts'
import { games } from '../db/schema/games/games.ts'
import { publishers } from '../db/schema/publishers.ts'
import type { Deps } from '../deps.ts'
import { MAIN_APP } from '../domain/builds/channels.ts'
import { NO_ANTIVIRUS } from '../domain/builds/files.ts'
import { type BuildOrigin, PROVIDER_ISSUERS } from '../domain/builds/publishers.ts'
import { attestFile } from '../features/builds/attestations/service.ts'
import { settleChannel } from '../features/builds/channels/moves.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import { DAY_MS } from '../lib/time.ts'
import { DEMO_LISTINGS, DEMO_NAMES, type DemoListing, DEVELOPERS } from './data.ts'
import { type DemoBuild, packBuild, planBuilds } from './planned-builds.ts'
import { finishGames, lockDemo, uidAt } from './queries.ts'

const AT_ONCE = 8
/** The game that a trusted publisher builds. */
const TRUSTED_GAME = 'the-last-ferry'

interface StoredBuild extends CleanBuild {
  by: string
}

/**
 * Adds small real zips for several systems and channels to the demo listings without builds. Can be run again
 * to add missing ones. Returns the number of new builds.
 */
export async function loadDemoBuilds(deps: Deps): Promise<number> {
  const found = (await listUnbuilt(deps.db, DEMO_NAMES)).flatMap(({ uid, vanityName, email }) => {
    const listing = DEMO_LISTINGS.find((known) => known.vanityName === vanityName)
    return listing && DEVELOPERS[listing.by].email === email ? [{ uid, listing }] : []
  })
  const stored = await storeBuilds(deps, found)
  if (stored.length === 0) return 0
  return await deps.db.transaction(async (tx) => {
    await lockDemo(tx)
    const pages = await listUnbuilt(tx, DEMO_NAMES)
    const missing = stored.filter(({ build }) => pages.some(({ uid }) => uid === build.gameUid))
    for (const { by, ...build } of missing) {
      await insertCleanBuild(tx, build)
      await settleChannel(tx, build.build.uid, by)
      if (build.file.origin) await attestFile(deps, tx, build.file.uid)
    }
    const [trusted] = missing.flatMap(({ file }) => (file.origin ? [file] : []))
    if (trusted?.origin) await insertPublisher(tx, trusted.gameUid, trusted.origin)
    // A new stable build would count as an update of the page, so the old dates are restored.
    await finishGames(tx, pages)
    return missing.length
  })
}

/** Stores the zips before inserting their rows, as every upload does. */
async function storeBuilds(
  deps: Deps,
  pages: readonly { uid: string; listing: DemoListing }[],
): Promise<StoredBuild[]> {
  const now = Date.now()
  const queue = pages.flatMap(({ uid, listing }) => {
    const appUids = new Map<string, string>()
    return planBuilds(listing).map((build) => {
      const slug = build.app?.slug ?? MAIN_APP
      const appUid = appUids.get(slug) ?? uidAt(new Date(now))
      appUids.set(slug, appUid)
      return { gameUid: uid, appUid, listing, build }
    })
  })
  const stored = Array<StoredBuild>(queue.length)
  let next = 0
  const work = async () => {
    for (let at = next++; at < queue.length; at = next++) {
      const planned = queue[at]
      if (planned) stored[at] = await storeBuild(deps, now, planned)
    }
  }
  await Promise.all(Array.from({ length: AT_ONCE }, work))
  return stored
}

async function storeBuild(
  { objects }: Deps,
  now: number,
  {
    gameUid,
    appUid,
    listing,
    build,
  }: { gameUid: string; appUid: string; listing: DemoListing; build: DemoBuild },
): Promise<StoredBuild> {
  const { daysAgo, app, ...place } = build
  const madeAt = new Date(now - daysAgo * DAY_MS)
  const [buildUid, uid] = [uidAt(madeAt), uidAt(madeAt)]
  const objectKey = `builds/${gameUid}/${uid}.zip`
  const { filename, bytes, entries, entryPage, launch } = await packBuild(listing, build, madeAt)
  await objects.put(objectKey, bytes)
  return {
    by: listing.by,
    app: { uid: appUid, gameUid, slug: app?.slug ?? MAIN_APP, name: app?.name ?? listing.name },
    build: {
      uid: buildUid,
      gameUid,
      appUid,
      ...place,
      buildType: 'game',
      launch,
      createdAt: madeAt,
      updatedAt: madeAt,
    },
    file: {
      uid,
      gameUid,
      buildUid,
      filename,
      size: bytes.length,
      checksum: sha256Hex(bytes),
      objectKey,
      entryPage,
      ...({ scan: 'clean', scanEngine: NO_ANTIVIRUS } as const),
      ...sourceOf(listing, build.version),
      uploadedAt: madeAt,
      scannedAt: madeAt,
    },
    entries,
  }
}

/** The provenance of a build, as a job of GitHub Actions would have proved it. */
function sourceOf(
  { vanityName }: DemoListing,
  version: string,
): Pick<CleanBuild['file'], 'source' | 'origin'> {
  if (vanityName !== TRUSTED_GAME) return { source: 'website' }
  const [repository, ref] = [`demo/${vanityName}`, `refs/tags/v${version}`]
  return {
    source: 'trusted_publisher',
    origin: {
      provider: 'github',
      issuer: PROVIDER_ISSUERS.github ?? '',
      repository,
      ref,
      commit: sha256Hex(`${repository} ${version}`).slice(0, 40),
      workflow: `${repository}/.github/workflows/shelf.yml@${ref}`,
      run_url: `https://github.com/${repository}/actions/runs/1`,
    },
  }
}

/** Lists the given listings that have no build, with the e-mail address of their owner. */
async function listUnbuilt(db: Db, names: readonly string[]) {
  const made = db.select({ uid: builds.uid }).from(builds).where(eq(builds.gameUid, games.uid))
  const rows = await db
    .select({
      uid: games.uid,
      vanityName: games.vanityName,
      visibility: games.visibility,
      updatedAt: games.updatedAt,
      email: users.email,
      hasNone: notExists(made).mapWith(Boolean),
    })
    .from(games)
    .innerJoin(users, eq(users.id, games.ownerUid))
    .where(inArray(games.vanityName, [...names]))
  return rows.filter(({ hasNone }) => hasNone)
}

interface CleanBuild {
  app: typeof apps.$inferInsert
  build: typeof builds.$inferInsert & { uid: string }
  file: typeof files.$inferInsert & { uid: string }
  entries: Omit<typeof fileEntries.$inferInsert, 'fileUid'>[]
}

/** Inserts a build as if it had been registered, uploaded and scanned. */
async function insertCleanBuild(tx: Transaction, { app, build, file, entries }: CleanBuild) {
  await tx.insert(apps).values(app).onConflictDoNothing()
  await tx.insert(builds).values(build)
  await tx.insert(files).values(file)
  const { uid: fileUid, uploadedAt: createdAt, scanEngine: engine } = file
  await tx.insert(scanEvents).values([
    { fileUid, createdAt, state: 'scanning' },
    { fileUid, createdAt, state: 'clean', engine },
  ])
  await tx.insert(fileEntries).values(entries.map((entry) => ({ ...entry, fileUid })))
}

/** Inserts the trusted publisher that the provenance of these files names. */
async function insertPublisher(
  tx: Transaction,
  gameUid: string,
  { provider, issuer, repository }: BuildOrigin,
): Promise<void> {
  const conditions = { workflow: 'shelf.yml', ref: 'refs/tags/v*' }
  await tx.insert(publishers).values({ gameUid, provider, issuer, repository, ...conditions })
}
