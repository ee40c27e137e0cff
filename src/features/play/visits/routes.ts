import { t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { JAM_BEAT_SECONDS } from '../../../domain/jams/entries.ts'
import { Envelope, ok } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import type { PlayAccess } from '../access/service.ts'
import { Heartbeat, PlayInput, PlayLink, PlayTime } from './model.ts'
import { openPlay, recordHeartbeat, recordJamHeartbeat } from './service.ts'

const refusals = ['buy_to_download', 'still_scanning'] as const

export function playRoutes(kit: HttpKit, deps: Deps, access: PlayAccess) {
  return createRoutes(kit, { name: 'play', prefix: '/api/v1/private/games/:uid', tags: ['Downloads'] })
    .post(
      '/play',
      async ({ actor, params, body, status, set }) => {
        set.headers['cache-control'] = 'no-store'
        return status(201, ok(await openPlay(deps, access, actor, params.uid, body ?? {})))
      },
      {
        website: true,
        body: t.Optional(PlayInput),
        response: { 201: Envelope(PlayLink) },
        summary: 'An address at which the game can be played in a browser, valid for one minute and one use',
        fails: refusals,
      },
    )
    .post(
      '/play/heartbeat',
      async ({ actor, params: { uid: ref }, body: { session_id: session, jam } }) =>
        ok(
          jam === undefined
            ? await recordHeartbeat(deps, actor, ref, session)
            : await recordJamHeartbeat(deps, access, actor, { ref, session, jam }),
        ),
      {
        website: true,
        body: Heartbeat,
        response: Envelope(PlayTime),
        summary: 'Report that the game runs on its play page; once a minute, for players with a licence',
        description: `In a jam every ${JAM_BEAT_SECONDS} seconds, and without a licence.`,
      },
    )
}
