import { saveContents, saveRevisions, saveSets, saveSlots } from '../db/schema/saves.ts'
import type { Deps } from '../deps.ts'
import { sha256Hex } from '../lib/bytes/hash.ts'
import { MINUTE_MS } from '../lib/time.ts'
import { loadDemoKnown } from './known.ts'
import { lockDemo, uidAt } from './queries.ts'

const GAME = { vanityName: 'one-more-stone', name: 'One More Stone' }
const PLAYER = 'robin-player'
/** As the game calls it. */
const SLOT = 'progress'
const HOUR_MS = 60 * MINUTE_MS

interface DemoSave {
  hoursAgo: number
  device: string
  playMinutes: number
  stones: number
  /** Another device was faster. */
  refused?: boolean
}

/** Oldest first; the last one is current. */
const SAVES: readonly DemoSave[] = [
  { hoursAgo: 480, device: 'Firefox on Windows', playMinutes: 6, stones: 4 },
  { hoursAgo: 71, device: 'Chrome on Linux', playMinutes: 25, stones: 9 },
  { hoursAgo: 28, device: 'Safari on iPhone', playMinutes: 31, stones: 5, refused: true },
  { hoursAgo: 5, device: 'Chrome on Linux', playMinutes: 48, stones: 12 },
]

/** Lets a player keep saves of a web game in their account, with a history. Does nothing once they decided about it. */
export async function loadDemoSaves({ db, objects }: Deps): Promise<void> {
  await db.transaction(async (tx) => {
    await lockDemo(tx)
    const { now, gameOf, personOf } = await loadDemoKnown(tx)
    const [gameUid, userUid] = [gameOf(GAME.vanityName)?.uid, personOf(PLAYER)]
    if (gameUid === undefined || userUid === undefined) return
    const set = { gameUid, userUid, gameName: GAME.name, webAllowed: true, thinAt: now }
    const added = tx.insert(saveSets).values(set).onConflictDoNothing().returning({ setUid: saveSets.uid })
    const [found] = await added
    if (!found) return
    const { setUid } = found
    const slot = { uid: uidAt(now), setUid, name: SLOT }
    const rows = SAVES.map((save) => toRows(save, now, slot))
    for (const { content, bytes } of rows) await objects.put(content.objectKey, bytes)
    await tx.insert(saveContents).values(rows.map(({ content }) => content))
    await tx.insert(saveSlots).values({ ...slot, headUid: rows.at(-1)?.revision.uid })
    await tx.insert(saveRevisions).values(rows.map(({ revision }) => revision))
  })
}

function toRows(
  { hoursAgo, stones, ...told }: DemoSave,
  now: Date,
  { uid: slotUid, setUid }: { uid: string; setUid: string },
) {
  const createdAt = new Date(now.getTime() - hoursAgo * HOUR_MS)
  const progress = { stones: pile(stones), best: stones, at: createdAt.getTime() }
  const bytes = Buffer.from(JSON.stringify(progress))
  const content = {
    uid: uidAt(createdAt),
    setUid,
    sha256: sha256Hex(bytes),
    size: bytes.length,
    objectKey: `saves/${uidAt(createdAt)}`,
  }
  const revision = { uid: uidAt(createdAt), slotUid, contentUid: content.uid, createdAt, ...told }
  return { bytes, content, revision }
}

/** A tower that stands: each stone lies on the middle of the one below, give or take a little. */
function pile(count: number) {
  return Array.from({ length: count }, (_, index) => ({
    width: 120 - index * 4,
    height: 20 + ((index * 7) % 16),
    colour: ['#8a8f9c', '#a39c90', '#7d8a86'][index % 3],
    x: ((index * 5) % 7) - 3,
  }))
}
