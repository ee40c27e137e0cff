import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Paged, PageQuery } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import { parsePage } from '../../../lib/paging.ts'
import { Channel, Move, Pending, Promotion, Rollback, RolledBack } from './model.ts'
import { listChannels, listChannelsOfKey, listMoves, promote, rollback } from './service.ts'

const tags = ['Builds']

export function channelRoutes(kit: HttpKit, deps: Deps) {
  return new Elysia({ name: 'channels', prefix: '/api/v1' })
    .use(kit)
    .get(
      '/tool/upload/channels',
      async ({ actor, query }) => ok(await listChannelsOfKey(deps, actor, parsePage(query))),
      {
        deployKey: true,
        query: PageQuery,
        response: Envelope(Paged(Channel)),
        detail: { tags, summary: 'The build of every channel, for pipelines' },
      },
    )
    .get(
      '/private/games/:uid/channels',
      async ({ actor, params, query }) => ok(await listChannels(deps, actor, params.uid, parsePage(query))),
      {
        websiteOrAgent: 'mcp:builds.read',
        query: PageQuery,
        response: Envelope(Paged(Channel)),
        detail: { tags, summary: 'The build of every channel, per app and platform' },
      },
    )
    .get(
      '/private/games/:uid/channels/history',
      async ({ actor, params, query }) => ok(await listMoves(deps, actor, params.uid, parsePage(query))),
      {
        websiteOrAgent: 'mcp:builds.read',
        query: PageQuery,
        response: Envelope(Paged(Move)),
        detail: { tags, summary: 'Every move of every channel, newest first' },
      },
    )
    .post(
      '/private/games/:uid/channels/:channel/promote',
      async ({ actor, params, body, status }) => {
        const channel = await promote(deps, actor, params.uid, params.channel, body)
        return channel ? ok(channel) : status(202, ok({ approval: 'pending' as const }))
      },
      {
        websiteOrAgent: 'mcp:builds.write',
        secondFactor: 'stable',
        body: Promotion,
        response: { 200: Envelope(Channel), 202: Envelope(Pending) },
        detail: {
          tags,
          summary: "Point a channel at a build; an agent's request for stable needs the owner's approval",
          ...failsWith('build_not_found', 'upload_field_invalid', 'taken'),
        },
      },
    )
    .post(
      '/private/games/:uid/channels/:channel/rollback',
      async ({ actor, params, body }) => {
        const items = await rollback(deps, actor, params.uid, params.channel, body?.app)
        return ok({ items })
      },
      {
        websiteOrAgent: 'mcp:builds.write',
        secondFactor: 'stable',
        body: t.Optional(Rollback),
        response: Envelope(RolledBack),
        detail: {
          tags,
          summary: 'Undo the newest release of a channel',
          ...failsWith('upload_field_invalid', 'taken'),
        },
      },
    )
}
