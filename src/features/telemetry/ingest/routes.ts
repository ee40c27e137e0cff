import { Elysia } from 'elysia'

import type { Deps } from '../../../deps.ts'
import { Uid } from '../../../http/input/schema.ts'
import type { HttpKit } from '../../../http/kit.ts'
import { failsWith } from '../../../http/openapi/failures.ts'
import { Envelope, ok } from '../../../http/output/envelope.ts'
import type { RequestContext } from '../../../http/server/admission.ts'
import { parseClientAddress } from '../../../lib/net/addresses.ts'
import { CrashAccepted, CrashReport } from '../crashes/model.ts'
import { recordCrash } from '../crashes/record.ts'
import { EventQuota } from '../quota/service.ts'
import { Accepted, GameEvents } from './model.ts'
import { createNetworkHash, createSenderFinder, type Sender } from './sender.ts'
import { acceptEvents, refuseTooMany } from './service.ts'
import { EventWriter } from './writer.ts'

const tags = ['Ingest']
const header = (name: string, description: string) =>
  ({ name, in: 'header', required: true, description, schema: Uid }) as const
const fromGame = {
  parameters: [
    header('X-App-Id', 'The uid of the game.'),
    header('X-Build-Id', 'The build_id of one of its builds.'),
  ],
  ...failsWith('not_a_game'),
}

export function ingestRoutes(kit: HttpKit, deps: Deps) {
  const { trustProxy } = deps.config
  const findSender = createSenderFinder(deps.db)
  const quota = new EventQuota(deps)
  const writer = new EventWriter(deps.db, quota)
  const senders = new WeakMap<Request, Sender>()
  const hashNetwork = createNetworkHash(deps.keyring)

  return new Elysia({ name: 'ingest', prefix: '/api/v1/public' })
    .use(kit)
    .macro({
      /** Resolves the sending build before the body is validated. */
      game: (_: true) => ({
        transform: async ({ request, server }: Pick<RequestContext, 'request' | 'server'>) => {
          const { headers } = request
          const game = await findSender(headers.get('x-app-id'), headers.get('x-build-id'))
          const address = parseClientAddress(headers, () => server?.requestIP(request)?.address, trustProxy)
          senders.set(request, { ...game, network: hashNetwork(game.gameUid, address) })
        },
        // Set by the hook above.
        resolve: ({ request }: { request: Request }) => ({ sender: senders.get(request) as Sender }),
      }),
      /** Runs before the body is validated, because these limits have a code of their own. */
      countedEvents: (_: true) => ({
        resolve: ({ body }: { body: unknown }) => {
          refuseTooMany(body)
          return {}
        },
      }),
    })
    .post(
      '/events',
      async ({ actor, sender, body, status }) =>
        status(202, ok(await acceptEvents(deps, writer, sender, actor, body, Date.now()))),
      {
        limit: 'ingest',
        visitor: true,
        game: true,
        countedEvents: true,
        body: GameEvents,
        response: { 202: Envelope(Accepted) },
        detail: {
          tags,
          summary: 'Send events of a running game; heartbeats of a player count as play time',
          ...fromGame,
        },
      },
    )
    .post(
      '/crashes',
      async ({ sender, body, status }) =>
        status(202, ok(await recordCrash({ ...deps, quota }, sender, body, Date.now()))),
      {
        limit: 'ingest',
        visitor: true,
        game: true,
        body: CrashReport,
        response: { 202: Envelope(CrashAccepted) },
        detail: { tags, summary: 'Send a crash report', ...fromGame },
      },
    )
}
