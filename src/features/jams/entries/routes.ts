import { done, Envelope, Nothing, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { ALWAYS_ASK } from '../../../http/output/caching.ts'
import { arrivalOf, visitorOf } from '../../../http/server/request-facts.ts'
import { Pending } from '../../builds/channels/model.ts'
import { requestEntry } from './approval.ts'
import { type EntrySource, listEntries, parseEntries } from './list.ts'
import { Entries, EntriesQuery, EntryEdit, EntryState } from './model.ts'
import { getEntryState, submitEntry, withdrawEntry } from './service.ts'

/** What people enter into jams, and what others see of it. */
export function jamEntryRoutes(kit: HttpKit, source: EntrySource) {
  const { deps } = source
  return createRoutes(kit, { name: 'jam-entries', prefix: '/api/v1', tags: ['Jams'] })
    .get(
      '/public/jams/:jam/entries',
      async ({ actor, params, query, request, server }) => {
        const visitor = visitorOf({ request, server, actor }, deps.config.trustProxy)
        return ok(await listEntries(source, actor, params.jam, parseEntries(query, visitor)))
      },
      {
        limit: 'search',
        visitor: true,
        cache: ALWAYS_ASK,
        query: EntriesQuery,
        response: Envelope(Entries),
        summary: 'The entries of a jam',
        description:
          'Public listings at once, drafts and others from the end on. Adult ones only to those who asked for such content.',
      },
    )
    .get(
      '/private/jams/:jam/entries/:game_uid',
      async ({ actor, params }) => ok(await getEntryState(deps, actor, params.jam, params.game_uid)),
      {
        website: true,
        response: Envelope(EntryState),
        summary: 'A listing in a jam as its team sees it, with what is missing to enter it',
      },
    )
    .put(
      '/private/jams/:jam/entries/:game_uid',
      async ({ actor, params: { jam, game_uid }, body, request, status }) => {
        const arrivedAt = arrivalOf(request)
        if (actor.kind === 'agent') {
          await requestEntry(deps, actor, jam, game_uid, body.note)
          return status(202, ok({ approval: 'pending' as const }))
        }
        const input = await EntryEdit.settle(body, () => getEntryState(deps, actor, jam, game_uid))
        return ok(await submitEntry(deps, actor, jam, game_uid, input, arrivedAt))
      },
      {
        websiteOrAgent: 'mcp:builds.write',
        limit: 'account_write',
        body: EntryEdit.body,
        response: { 200: Envelope(EntryState), 202: Envelope(Pending) },
        summary: "Enter a listing into a jam, or change its note; an agent needs the owner's approval",
        description:
          'What counts is when the request reached the store, not when it is answered. A late link admits one entry after the end.',
        fails: ['jam_closed', 'entry_unfit', 'taken', 'code_invalid'],
      },
    )
    .delete(
      '/private/jams/:jam/entries/:game_uid',
      async ({ actor, params }) => await done(withdrawEntry(deps, actor, params.jam, params.game_uid)),
      {
        website: true,
        limit: 'account_write',
        response: Nothing,
        summary: 'Take an entry out of a jam, also after the end; its files can be deleted then',
      },
    )
}
