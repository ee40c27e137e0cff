import type { Transaction } from '../db/client.ts'
import type { Deps } from '../deps.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import { DAY_MS } from '../lib/utc-days.ts'
import { REFUSED_BUILD, REPORTS } from './moderation-data.ts'
import { findMainApp, insertRefusedBuild, insertReport } from './moderation-queries.ts'
import { PLAYERS } from './people.ts'
import { findNamed, findPeople, lockDemo } from './queries.ts'
import { uidAt } from './uids.ts'

const SCAN_MS = 4000

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
    const now = Date.now()
    for (const { about, by, reason, text, daysAgo } of REPORTS) {
      const [gameUid, userUid] = [games.get(about), people.get(PLAYERS[by].email)]
      const createdAt = new Date(now - daysAgo * DAY_MS)
      if (gameUid && userUid) await insertReport(tx, { gameUid, userUid, reason, text, createdAt })
    }
    const gameUid = games.get(REFUSED_BUILD.about)
    if (gameUid) await addRefusedBuild(tx, gameUid, new Date(now - REFUSED_BUILD.daysAgo * DAY_MS))
  })
}

async function addRefusedBuild(tx: Transaction, gameUid: string, madeAt: Date): Promise<void> {
  const appUid = await findMainApp(tx, gameUid)
  if (appUid === undefined) return
  const { version, channel, filename, size, detail } = REFUSED_BUILD
  const [buildUid, uid] = [uidAt(madeAt), uidAt(madeAt)]
  await insertRefusedBuild(tx, {
    build: {
      uid: buildUid,
      gameUid,
      appUid,
      version,
      channel,
      buildType: 'game',
      ...({ os: 'windows', arch: 'x86_64', createdAt: madeAt, updatedAt: madeAt } as const),
    },
    file: {
      uid,
      gameUid,
      buildUid,
      filename,
      size,
      checksum: sha256Hex(uid),
      ...({ scan: 'infected', scanEngine: 'demo data', scanDetail: detail, source: 'website' } as const),
      objectKey: `builds/${gameUid}/${uid}.zip`,
      uploadedAt: madeAt,
      scannedAt: new Date(madeAt.getTime() + SCAN_MS),
    },
  })
}
