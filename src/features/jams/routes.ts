import { Elysia } from 'elysia'

import type { Deps } from '../../deps.ts'
import { done, Envelope, listOf, Nothing, ok, Paged } from '../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../http/kit.ts'
import { ALWAYS_ASK } from '../../http/output/caching.ts'
import { parsePage } from '../../lib/paging.ts'
import { JamCode, JamCodeInput, LateLinkInput, NewJamCode, NewLateLink } from './codes/model.ts'
import { createCode, createLateLink, endCode, listCodes } from './codes/service.ts'
import type { EntrySource } from './entries/list.ts'
import { jamEntryRoutes } from './entries/routes.ts'
import { OwnJam } from './jams/model.ts'
import { jamCoverRoutes, jamRoutes, publicJamRoutes } from './jams/routes.ts'
import { getOwnJam } from './jams/service.ts'
import { JoinInput, Participant } from './members/model.ts'
import { joinJam, leaveJam, listParticipants } from './members/service.ts'
import { ratingRoutes } from './rating/routes.ts'
import { ReasonInput } from './results/model.ts'
import { hostResultRoutes, publicResultRoutes } from './results/routes.ts'
import { Vote, VotesQuery } from './votes/model.ts'
import { decideVote, listVotes, parseVoteFilter } from './votes/service.ts'

/** Jams: a theme, a deadline, entries that are pinned, ratings and results. */
export function jamAreaRoutes(kit: HttpKit, source: EntrySource) {
  const { deps } = source
  return new Elysia({ name: 'jams area' })
    .use(publicJamRoutes(kit, deps))
    .use(jamRoutes(kit, deps))
    .use(jamCoverRoutes(kit, deps))
    .use(jamMemberRoutes(kit, deps))
    .use(jamCodeRoutes(kit, deps))
    .use(ratingRoutes(kit, deps))
    .use(publicResultRoutes(kit, deps))
    .use(hostResultRoutes(kit, deps))
    .use(voteRoutes(kit, deps))
    .use(jamEntryRoutes(kit, source))
}

const write = () => ({ website: true, limit: 'account_write' }) as const

/** What hosts do about votes. */
function voteRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'jam-votes', prefix: '/api/v1/private/jams/:jam', tags: ['Jams'] })
    .get(
      '/manage/votes',
      async ({ actor, params, query }) =>
        ok(await listVotes(deps, actor, params.jam, parseVoteFilter(query), parsePage(query))),
      {
        website: true,
        query: VotesQuery,
        response: Envelope(Paged(Vote)),
        summary: 'The votes of a jam, newest first, for hosts',
      },
    )
    .post(
      '/manage/votes/:vote_uid/void',
      async ({ actor, params: { jam, vote_uid }, body }) =>
        ok(await decideVote(deps, actor, jam, vote_uid, 'voided', body)),
      {
        ...write(),
        body: ReasonInput,
        response: Envelope(Vote),
        summary: 'Void a vote',
        fails: 'taken',
      },
    )
    .post(
      '/manage/votes/:vote_uid/restore',
      async ({ actor, params: { jam, vote_uid }, body }) =>
        ok(await decideVote(deps, actor, jam, vote_uid, 'restored', body)),
      {
        ...write(),
        body: ReasonInput,
        response: Envelope(Vote),
        summary: 'Let a vote count that was voided, or that a rule left out',
        fails: 'taken',
      },
    )
}

function jamMemberRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'jam-members', prefix: '/api/v1', tags: ['Jams'] })
    .get(
      '/public/jams/:jam/participants',
      async ({ actor, params, query }) =>
        ok(await listParticipants(deps, actor, params.jam, parsePage(query))),
      {
        limit: 'shelves',
        visitor: true,
        cache: ALWAYS_ASK,
        ...listOf(Participant),
        summary: 'Who joined a jam, first come first',
      },
    )
    .post(
      '/private/jams/:jam/join',
      async ({ actor, params, body }) => {
        await joinJam(deps, actor, params.jam, body?.code)
        return ok((await getOwnJam(deps, actor, params.jam)).jam)
      },
      {
        website: true,
        limit: ['redeem', 'account_write'],
        body: JoinInput,
        response: Envelope(OwnJam),
        summary: 'Join a jam: your name is listed, and you get notices of it',
        fails: ['jam_closed', 'code_invalid'],
      },
    )
    .post(
      '/private/jams/:jam/leave',
      async ({ actor, params }) => {
        await leaveJam(deps, actor, params.jam)
        return ok((await getOwnJam(deps, actor, params.jam)).jam)
      },
      {
        website: true,
        limit: 'account_write',
        response: Envelope(OwnJam),
        summary: 'Leave a jam; entries stay',
      },
    )
}

function jamCodeRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'jam-codes', prefix: '/api/v1/private/jams/:jam/manage', tags: ['Jams'] })
    .get(
      '/codes',
      async ({ actor, params, query }) =>
        ok(await listCodes(deps, actor, params.jam, false, parsePage(query))),
      {
        website: true,
        ...listOf(JamCode),
        summary: 'Codes that admit to the jam, for its hosts; newest first',
      },
    )
    .post(
      '/codes',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createCode(deps, actor, params.jam, body))),
      {
        website: true,
        limit: 'account_write',
        body: JamCodeInput,
        response: { 201: Envelope(NewJamCode) },
        summary: 'Make a code, which is shown once',
        fails: 'taken',
      },
    )
    .delete(
      '/codes/:code_uid',
      async ({ actor, params }) => await done(endCode(deps, actor, params.jam, false, params.code_uid)),
      {
        website: true,
        limit: 'account_write',
        response: Nothing,
        summary: 'End a code; who joined with it stays',
      },
    )
    .get(
      '/late-links',
      async ({ actor, params, query }) =>
        ok(await listCodes(deps, actor, params.jam, true, parsePage(query))),
      {
        website: true,
        ...listOf(JamCode),
        summary: 'Late links, for hosts; newest first',
      },
    )
    .post(
      '/late-links',
      async ({ actor, params, body, status }) =>
        status(201, ok(await createLateLink(deps, actor, params.jam, body))),
      {
        website: true,
        limit: 'account_write',
        body: LateLinkInput,
        response: { 201: Envelope(NewLateLink) },
        summary: 'Let one person enter after the end: a link for one use, listed under Changes',
        fails: ['taken', 'jam_closed'],
      },
    )
    .delete(
      '/late-links/:code_uid',
      async ({ actor, params }) => await done(endCode(deps, actor, params.jam, true, params.code_uid)),
      {
        website: true,
        limit: 'account_write',
        response: Nothing,
        summary: 'End a late link; an entry that it admitted stays',
      },
    )
}
