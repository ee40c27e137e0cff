import type { Deps } from '../deps.ts'
import { createRandom } from '../lib/random.ts'
import { DAY_MS } from '../lib/utc-days.ts'
import { type DownloadValues, insertDownloads, listUnreadFiles } from './downloads-queries.ts'
import { DEVELOPERS } from './people.ts'
import { lockDemo } from './queries.ts'

const DAYS = 14
const MOST_A_DAY = 5
/** The developers who can sign in and look at the figures. */
const READERS = [DEVELOPERS['lantern-works'].email, DEVELOPERS['moss-jam'].email]
const SOURCES = ['signed_out', 'signed_out', 'library', 'redirect'] as const
const CLIENTS = ['firefox', 'chrome', 'safari', 'other'] as const
const COUNTRIES = ['DE', 'US', 'JP', 'BR', null] as const
const OUTCOMES = [200, 200, 200, 200, 200, 200, 4030] as const

/** Adds two weeks of downloads for the demo developers' charts. Files that were downloaded before are left alone. */
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
