import { Elysia, t } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { JAM_BEAT_SECONDS } from '../../../domain/jams/entries.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import type { PlayAccess } from '../access/service.ts'
import { Heartbeat, PlayInput, PlayLink, PlayTime } from './model.ts'
import { openPlay, recordHeartbeat, recordJamHeartbeat } from './service.ts'

const tags = ['Downloads']
const refusals = failsWith('buy_to_download', 'still_scanning')

export function playRoutes(kit: HttpKit, deps: Deps, access: PlayAccess) {
  return new Elysia({ name: 'play', prefix: '/api/v1/private/games/:uid' })
    .use(kit)
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
        detail: {
          tags,
          summary:
            'An address at which the game can be played in a browser, valid for one minute and one use',
          ...refusals,
        },
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
        detail: {
          tags,
          summary: 'Report that the game runs on its play page; once a minute, for players with a licence',
          description: `In a jam every ${JAM_BEAT_SECONDS} seconds, and without a licence.`,
        },
      },
    )
}
