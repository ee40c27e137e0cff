import { eq, inArray } from 'drizzle-orm'

import type { Transaction } from '../db/client.ts'
import { notify } from '../db/notify/notify.ts'
import { users } from '../db/schema/accounts.ts'
import { jamEntries, jamMembers, jamPeople, jamRatings, jams, jamVisits } from '../db/schema/jams.ts'
import type { Deps } from '../deps.ts'
import { STARS_MAX } from '../domain/jams.ts'
import { JAMS_CHANGED } from '../features/jams/access.ts'
import { pinEntries } from '../features/jams/entries/pins.ts'
import { storeResults } from '../features/jams/results/compute.ts'
import type { JamRow } from '../features/jams/shared-queries.ts'
import { BOXES } from '../features/listings/images/model.ts'
import { type ProcessedImage, processImage } from '../features/listings/images/process.ts'
import { claimObject } from '../features/listings/images/service.ts'
import { createRandom } from '../lib/random.ts'
import { DAY_MS } from '../lib/time.ts'
import { DEMO_JAMS, type DemoJam, PLAYER_NAMES } from './data.ts'
import { type DemoKnown, loadDemoKnown } from './known.ts'
import { openPicture } from './pictures.ts'
import { daysBefore, lockDemo, uidAt } from './queries.ts'

const PLAYED_SECONDS = 400
const ACCOUNT_DAYS = 400

/** Adds a jam that runs, one that is voted on, and one with results. Does nothing once there are jams. */
export async function loadDemoJams(deps: Deps): Promise<void> {
  if ((await deps.db.$count(jams)) > 0) return
  const covers = new Map<string, ProcessedImage>()
  for (const { slug, cover } of DEMO_JAMS) {
    const [folder = '', name = ''] = cover.split('/')
    covers.set(slug, await processImage(await openPicture(folder, name).bytes(), BOXES.cover, 'image/webp'))
  }
  await deps.db.transaction(async (tx) => {
    await lockDemo(tx)
    if ((await tx.$count(jams)) > 0) return
    const known = await loadDemoKnown(tx)
    await agePlayers(tx, known)
    for (const jam of DEMO_JAMS) {
      const cover = covers.get(jam.slug)
      await insertJam(tx, known, jam, cover ? await claimObject(deps, tx, cover) : null)
    }
    await notify(tx, JAMS_CHANGED, '')
  })
}

/** Accounts that are younger than a jam may not vote in it. */
async function agePlayers(tx: Transaction, { now, personOf }: DemoKnown): Promise<void> {
  const uids = PLAYER_NAMES.map(personOf).filter((uid) => uid !== undefined)
  const createdAt = daysBefore(now, ACCOUNT_DAYS)
  await tx.update(users).set({ createdAt }).where(inArray(users.id, uids))
}

async function insertJam(
  tx: Transaction,
  known: DemoKnown,
  jam: DemoJam,
  coverKey: string | null,
): Promise<void> {
  const { now, personOf } = known
  const at = (days: number) => new Date(now.getTime() + days * DAY_MS)
  const { slug, title, tagline, theme, voters, types, criteria, minRatings } = jam
  const { from, until, votingUntil, hosts, text } = jam
  const createdAt = at(from - 14)
  const [row] = await tx
    .insert(jams)
    .values({
      uid: uidAt(createdAt),
      slug,
      title,
      tagline,
      theme,
      voters,
      types,
      criteria,
      minRatings,
      text: text.join('\n'),
      coverKey,
      startsAt: at(from),
      endsAt: at(until),
      votingEndsAt: at(votingUntil),
      visibility: 'public',
      createdAt,
      updatedAt: createdAt,
    })
    .returning()
  if (!row) return
  const hostUids = hosts.map(personOf).filter((uid) => uid !== undefined)
  if (hostUids.length > 0) {
    await tx
      .insert(jamPeople)
      .values(hostUids.map((userUid) => ({ jamUid: row.uid, userUid, role: 'host' as const, createdAt })))
  }
  const entered = await insertEntries(tx, known, row, jam)
  if (until > 0) return
  await pinEntries(
    tx,
    entered.map(({ uid }) => uid),
  )
  await tx.update(jams).set({ pinnedAt: row.endsAt }).where(eq(jams.uid, row.uid))
  await insertRatings(tx, known, row, entered)
  if (votingUntil > 0) return
  await storeResults(tx, row)
  await tx
    .update(jams)
    .set({ computedAt: row.votingEndsAt, publishedAt: row.votingEndsAt })
    .where(eq(jams.uid, row.uid))
}

interface Entered {
  uid: string
  ownerUid: string
  /** The stars that most people give it. */
  skill: number
  comments: readonly string[]
}

/** Everybody who entered has joined, and some players too. */
async function insertEntries(
  tx: Transaction,
  { gameOf, personOf }: DemoKnown,
  { uid: jamUid, slug, startsAt, endsAt }: JamRow,
  { entries }: DemoJam,
): Promise<Entered[]> {
  const random = createRandom(`entries of ${slug}`)
  const members = new Set(random.draw(PLAYER_NAMES, 5).map(personOf))
  const entered: Entered[] = []
  for (const { game: name, note, skill, prizes = [], comments = [] } of entries) {
    const game = gameOf(name)
    if (!game) continue
    const latest = Math.min(endsAt.getTime(), Date.now())
    const submittedAt = new Date(
      startsAt.getTime() + random.between(0.3, 0.95) * (latest - startsAt.getTime()),
    )
    const uid = uidAt(submittedAt)
    await tx.insert(jamEntries).values({
      uid,
      jamUid,
      gameUid: game.uid,
      submittedBy: game.ownerUid,
      note,
      prizes,
      submittedAt,
      createdAt: submittedAt,
    })
    members.add(game.ownerUid)
    entered.push({ uid, ownerUid: game.ownerUid, skill, comments })
  }
  const joined = [...members].filter((userUid) => userUid !== undefined)
  const createdAt = daysBefore(startsAt, 1)
  if (joined.length > 0)
    await tx.insert(jamMembers).values(joined.map((userUid) => ({ jamUid, userUid, createdAt })))
  return entered
}

/** Most players rated most entries, and played them first. The one who can sign in has some left. */
async function insertRatings(
  tx: Transaction,
  { personOf }: DemoKnown,
  { uid: jamUid, slug, endsAt, criteria }: JamRow,
  entered: readonly Entered[],
): Promise<void> {
  const random = createRandom(`ratings of ${slug}`)
  const voters = PLAYER_NAMES.slice(1).map(personOf)
  for (const { uid: entryUid, skill, comments } of entered) {
    const raters = voters.filter((userUid) => userUid !== undefined).filter(() => random.chance(0.7))
    if (raters.length === 0) continue
    const createdAt = new Date(Math.min(endsAt.getTime() + random.between(0.2, 1.8) * DAY_MS, Date.now()))
    const stars = () => Math.max(1, Math.min(STARS_MAX, Math.round(skill + random.between(-1.4, 1.1))))
    await tx.insert(jamRatings).values(
      raters.map((userUid, index) => ({
        uid: uidAt(createdAt),
        jamUid,
        entryUid,
        userUid,
        scores: criteria.map(stars),
        comment: comments[index] ?? '',
        commentPublic: index < comments.length,
        accountDays: ACCOUNT_DAYS,
        createdAt,
        updatedAt: createdAt,
      })),
    )
    await tx.insert(jamVisits).values(
      raters.map((userUid) => ({
        entryUid,
        userUid,
        playedSeconds: PLAYED_SECONDS,
        lastPlayedAt: createdAt,
      })),
    )
    await tx.update(jamEntries).set({ received: raters.length }).where(eq(jamEntries.uid, entryUid))
  }
}
