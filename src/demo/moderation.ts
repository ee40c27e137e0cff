import { and, eq } from 'drizzle-orm'

import { changed, one, type Transaction } from '../db/client.ts'
import { apps, builds, files, scanEvents } from '../db/schema/builds.ts'
import { pageReports } from '../db/schema/operate.ts'
import type { Deps } from '../deps.ts'
import { DEV, MAIN_APP } from '../domain/builds/channels.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import { PLAYERS, REFUSED_BUILD, REPORTS } from './data.ts'
import { daysBefore, findNamed, findPeople, lockDemo, uidAt } from './queries.ts'

const SCAN_MS = 4000
const SCAN_ENGINE = 'demo data'

/** Adds what the operators look at: reports of pages, and a build that its scan refused. Can be run again. */
export async function loadDemoModeration({ db }: Deps): Promise<void> {
  await db.transaction(async (tx) => {
    await lockDemo(tx)
    const names = [...new Set([...REPORTS.map(({ about }) => about), REFUSED_BUILD.about])]
    const games = await findNamed(tx, names)
    const people = await findPeople(
      tx,
      REPORTS.map(({ by }) => PLAYERS[by].email),
    )
    const now = new Date()
    for (const { about, by, reason, text, daysAgo } of REPORTS) {
      const [gameUid, userUid] = [games.get(about), people.get(PLAYERS[by].email)]
      const createdAt = daysBefore(now, daysAgo)
      if (gameUid && userUid) await insertReport(tx, { gameUid, userUid, reason, text, createdAt })
    }
    const gameUid = games.get(REFUSED_BUILD.about)
    if (gameUid) await addRefusedBuild(tx, gameUid, daysBefore(now, REFUSED_BUILD.daysAgo))
  })
}

/** Adds a build whose file was scanned and refused; does nothing if the build exists. */
async function addRefusedBuild(tx: Transaction, gameUid: string, madeAt: Date): Promise<void> {
  const ofGame = and(eq(apps.gameUid, gameUid), eq(apps.slug, MAIN_APP))
  const app = await one(tx.select({ uid: apps.uid }).from(apps).where(ofGame))
  if (!app) return
  const { version, filename, size, detail: scanDetail } = REFUSED_BUILD
  const [buildUid, fileUid] = [uidAt(madeAt), uidAt(madeAt)]
  const added = await changed(
    tx
      .insert(builds)
      .values({
        uid: buildUid,
        gameUid,
        appUid: app.uid,
        version,
        channel: DEV,
        buildType: 'game',
        os: 'windows',
        arch: 'x86_64',
        createdAt: madeAt,
        updatedAt: madeAt,
      })
      .onConflictDoNothing(),
  )
  if (!added) return
  const scannedAt = new Date(madeAt.getTime() + SCAN_MS)
  await tx.insert(files).values({
    uid: fileUid,
    gameUid,
    buildUid,
    filename,
    size,
    checksum: sha256Hex(fileUid),
    scan: 'infected',
    scanEngine: SCAN_ENGINE,
    scanDetail,
    source: 'website',
    objectKey: `builds/${gameUid}/${fileUid}.zip`,
    uploadedAt: madeAt,
    scannedAt,
  })
  await tx.insert(scanEvents).values([
    { fileUid, createdAt: madeAt, state: 'scanning' },
    { fileUid, createdAt: scannedAt, state: 'infected', engine: SCAN_ENGINE, detail: scanDetail },
  ])
}

/** Skips the report if the person has already reported the page. */
async function insertReport(tx: Transaction, values: typeof pageReports.$inferInsert): Promise<void> {
  const { gameUid, userUid } = values
  const same = and(eq(pageReports.gameUid, gameUid), eq(pageReports.userUid, userUid))
  if ((await tx.$count(pageReports, same)) === 0) await tx.insert(pageReports).values(values)
}
