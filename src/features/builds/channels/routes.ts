import { t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Envelope, listOf, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import { parsePage } from '../../../lib/paging.ts'
import { Channel, Move, Pending, Promotion, Rollback, RolledBack } from './model.ts'
import { listChannels, listChannelsOfKey, listMoves, promote, rollback } from './service.ts'

export function channelRoutes(kit: HttpKit, deps: Deps) {
  return createRoutes(kit, { name: 'channels', prefix: '/api/v1', tags: ['Builds'] })
    .get(
      '/tool/upload/channels',
      async ({ actor, query }) => ok(await listChannelsOfKey(deps, actor, parsePage(query))),
      {
        deployKey: true,
        ...listOf(Channel),
        summary: 'The build of every channel, for pipelines',
      },
    )
    .get(
      '/private/games/:uid/channels',
      async ({ actor, params, query }) => ok(await listChannels(deps, actor, params.uid, parsePage(query))),
      {
        websiteOrAgent: 'mcp:builds.read',
        ...listOf(Channel),
        summary: 'The build of every channel, per app and platform',
      },
    )
    .get(
      '/private/games/:uid/channels/history',
      async ({ actor, params, query }) => ok(await listMoves(deps, actor, params.uid, parsePage(query))),
      {
        websiteOrAgent: 'mcp:builds.read',
        ...listOf(Move),
        summary: 'Every move of every channel, newest first',
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
        summary: "Point a channel at a build; an agent's request for stable needs the owner's approval",
        fails: ['build_not_found', 'upload_field_invalid', 'taken'],
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
        summary: 'Undo the newest release of a channel',
        fails: ['upload_field_invalid', 'taken'],
      },
    )
}
