import { jamPeople } from '../../../src/db/schema/jams.ts'
import { timesOf } from '../jams/jams.ts'
import { enter, insertJam, insertVotes } from '../jams/voting.ts'
import { signUp } from '../people.ts'
import type { Case, Params, Setting } from './authorization-cases.ts'

const JAM = '/api/v1/private/jams/:jam'
const STARS = { Fun: 4, Theme: 5 }

/** A jam in its voting, with the entry of somebody else that the caller rated. The caller hosts and judges it. */
async function insertVoted({ server, caller, state }: Setting, isOver = false): Promise<Params> {
  const jam = await insertJam(server, {
    ...timesOf(isOver ? 'past' : 'voting'),
    voters: 'judges',
    mustPlay: false,
    visibility: state,
    computedAt: isOver ? new Date() : null,
  })
  const { db } = server.deps
  for (const role of ['host', 'judge'] as const)
    await db.insert(jamPeople).values({ jamUid: jam.uid, userUid: caller.uid, role })
  const { game, entry } = await enter(server, jam, await signUp(server), { systems: [] })
  const vote_uid = crypto.randomUUID()
  await insertVotes(server, jam, [
    { uid: vote_uid, entryUid: entry.uid, userUid: caller.uid, scores: [4, 5], fault: 'one_team' },
  ])
  return { jam: jam.uid, game_uid: game.uid, vote_uid }
}

/** The same before the caller voted, and already disqualified where the route takes that back. */
const insertUnrated =
  (disqualifiedAt: Date | null = null) =>
  async ({ server, caller, state }: Setting): Promise<Params> => {
    const jam = await insertJam(server, {
      ...timesOf('voting'),
      voters: 'judges',
      mustPlay: false,
      visibility: state,
    })
    for (const role of ['host', 'judge'] as const)
      await server.deps.db.insert(jamPeople).values({ jamUid: jam.uid, userUid: caller.uid, role })
    const { game } = await enter(server, jam, await signUp(server), {
      systems: [],
      entry: { disqualifiedAt },
    })
    return { jam: jam.uid, game_uid: game.uid }
  }

const insertOver = (setting: Setting) => insertVoted(setting, true)
const reason = { reason: 'So that it is fair.' }
const voter = { need: 'see', params: insertUnrated() } as const
const host = { need: 'edit', params: insertUnrated() } as const

/** Judges vote in these jams, and every caller with access is one. */
export const JAM_VOTE_CASES: Record<string, Case> = {
  [`GET ${JAM}/queue`]: voter,
  [`POST ${JAM}/queue/:game_uid/skip`]: voter,
  [`POST ${JAM}/queue/:game_uid/cannot-run`]: voter,
  [`GET ${JAM}/ratings`]: { need: 'see', params: insertVoted },
  [`GET ${JAM}/ratings/:game_uid`]: { need: 'see', params: insertVoted },
  [`PUT ${JAM}/ratings/:game_uid`]: { ...voter, body: { scores: STARS }, allowed: 201 },
  [`GET ${JAM}/manage/votes`]: { need: 'edit', params: insertVoted },
  [`POST ${JAM}/manage/votes/:vote_uid/void`]: { need: 'edit', params: insertVoted, body: reason },
  [`POST ${JAM}/manage/votes/:vote_uid/restore`]: { need: 'edit', params: insertVoted, body: reason },
  [`GET ${JAM}/results/:game_uid/comments`]: { need: 'see', params: insertOver, except: () => 404 },
  [`POST ${JAM}/manage/entries/:game_uid/disqualify`]: { ...host, body: reason },
  [`POST ${JAM}/manage/entries/:game_uid/readmit`]: {
    need: 'edit',
    params: insertUnrated(new Date()),
    body: reason,
  },
  [`POST ${JAM}/manage/entries/:game_uid/prizes`]: { ...host, body: { prizes: [] } },
  [`POST ${JAM}/manage/results/hold`]: host,
  [`POST ${JAM}/manage/results/publish`]: host,
  [`POST ${JAM}/manage/results/recount`]: { need: 'edit', params: insertOver },
}
