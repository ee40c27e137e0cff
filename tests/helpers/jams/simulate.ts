import { sortQueue } from '../../../src/domain/jams/queue-order.ts'
import { type CastVote, findChangedFaults } from '../../../src/domain/jams/vote-faults.ts'
import { createRandom } from '../../../src/lib/random.ts'

type Order = 'queue' | 'random'

interface Entrant {
  uid: string
  /** How many entries the person means to rate. */
  wants: number
  /** Devices that the entry runs on. */
  systems: readonly string[]
  device: string
  received: number
  given: number
}

export interface Simulated {
  /** Counted ratings of each entry. */
  counted: number[]
  /** Votes by the reason why they do not count. */
  faults: Record<string, number>
  /** Votes that cheaters cast, and those among them that count. */
  cheated: number
  cheatedCounted: number
  /** Mean counted ratings of the entries of those who rated much, and of those who rated little. */
  diligent: number
  lazy: number
}

const ENTRANTS = 500
/** Shares of the entrants and how many entries they rate: few rate much, many rate some, some rate none. */
const DILIGENCE = [
  [0.15, 0, 0],
  [0.35, 3, 10],
  [0.35, 10, 25],
  [0.15, 25, 60],
] as const
const MIN_RATINGS = 5
const START = Date.parse('2026-03-01T00:00:00Z')
const MINUTE = 60_000

/** A whole jam: everybody rates in turns, from the queue of the store or in a plain random order. */
export function simulateJam(order: Order, seed: string): Simulated {
  const random = createRandom(seed)
  const entrants = Array.from({ length: ENTRANTS }, (_, index): Entrant => {
    const roll = random.next()
    let sum = 0
    const share = DILIGENCE.find(([part]) => roll < (sum += part)) ?? DILIGENCE[1]
    const isWeb = random.chance(0.7)
    return {
      uid: `e${index}`,
      wants: share[1] + random.below(share[2] - share[1] + 1),
      systems: isWeb ? ['web', 'windows'] : ['windows', ...(random.chance(0.5) ? ['linux'] : [])],
      device: random.chance(0.75) ? 'windows' : random.chance(0.5) ? 'linux' : 'phone',
      received: 0,
      given: 0,
    }
  })
  const votes: CastVote[] = []
  const rated = entrants.map(() => new Set<string>())
  let cast = 0
  const vote = (voterUid: string, entry: Entrant, values: Partial<CastVote> = {}) => {
    cast += 1
    entry.received += 1
    votes.push({
      uid: `v${cast}`,
      entryUid: entry.uid,
      voterUid,
      networkHash: `n${voterUid}`,
      accountDays: 200,
      castAt: new Date(START + cast * MINUTE),
      fault: null,
      decision: null,
      ...values,
    })
  }
  const runsOn = ({ systems }: Entrant, device: string) => systems.includes('web') || systems.includes(device)

  const isWaiting = (index: number) => (rated[index]?.size ?? 0) < (entrants[index]?.wants ?? 0)
  for (let waiting = [...entrants.keys()].filter(isWaiting); waiting.length > 0;) {
    for (const index of random.draw(waiting, waiting.length)) {
      const voter = entrants[index]
      const own = rated[index]
      if (!voter || !own) continue
      const open = entrants.filter(
        (entry) => entry !== voter && !own.has(entry.uid) && runsOn(entry, voter.device),
      )
      const draw = (uid: string) => Bun.hash.xxHash32(`${voter.uid} ${uid}`)
      const next =
        order === 'queue'
          ? sortQueue(open, MIN_RATINGS, draw)[0]
          : open.length > 0
            ? random.pick(open)
            : undefined
      if (!next) continue
      own.add(next.uid)
      vote(voter.uid, next)
      voter.given += 1
    }
    waiting = waiting.filter(isWaiting)
  }

  const fair = votes.length
  const [first, second, third] = entrants
  if (!first || !second || !third) throw new Error('Nobody takes part')
  // Twenty friends who rate one entry only; thirty new accounts of one house within an hour, who hide it by rating another.
  for (let friend = 0; friend < 20; friend += 1) vote(`friend${friend}`, first)
  for (let bot = 0; bot < 30; bot += 1) {
    const values = { networkHash: 'house', accountDays: 1, castAt: new Date(START + bot * MINUTE) }
    vote(`bot${bot}`, second, values)
    vote(`bot${bot}`, third, values)
  }

  const found = findChangedFaults(votes, { teamOf: (uid) => [uid], isTooYoung: () => false })
  const counted = new Map(entrants.map(({ uid }) => [uid, 0]))
  const faults: Record<string, number> = {}
  for (const { uid, entryUid } of votes) {
    const fault = found.get(uid) ?? null
    if (fault === null) counted.set(entryUid, (counted.get(entryUid) ?? 0) + 1)
    else faults[fault] = (faults[fault] ?? 0) + 1
  }
  const meanOf = (some: readonly Entrant[]) =>
    some.reduce((sum, { uid }) => sum + (counted.get(uid) ?? 0), 0) / Math.max(1, some.length)
  const cheating = votes.slice(fair)
  return {
    counted: entrants.map(({ uid }) => counted.get(uid) ?? 0).toSorted((one, other) => one - other),
    faults,
    cheated: cheating.length,
    cheatedCounted: cheating.filter(({ uid }) => (found.get(uid) ?? null) === null).length,
    diligent: meanOf(entrants.filter(({ given }) => given >= 25)),
    lazy: meanOf(entrants.filter(({ given }) => given <= 3)),
  }
}
