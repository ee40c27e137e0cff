import type { Deps } from '../../../deps.ts'
import type { Anonymous, Player } from '../../../domain/actor.ts'
import { invalidField } from '../../../errors.ts'
import { Envelope, ok, Uid } from '../../../http/input/schema.ts'
import { createRoutes, type HttpKit } from '../../../http/kit.ts'
import type { RequestContext } from '../../../http/server/admission.ts'
import { parseClientAddress } from '../../../lib/net/addresses.ts'
import { parseSentTime } from '../../../lib/time.ts'
import { CrashAccepted, CrashReport } from '../crashes/model.ts'
import { recordCrash } from '../crashes/record.ts'
import { EventQuota } from '../quota/service.ts'
import { Accepted, EVENTS_MAX, type GameEvent, GameEvents, METADATA_KEYS_MAX } from './model.ts'
import { creditPlayTime } from './play-time.ts'
import type { EventRow } from './queries.ts'
import { createNetworkHash, createSenderFinder, type Sender } from './sender.ts'
import { EventWriter } from './writer.ts'

const header = (name: string, description: string) =>
  ({ name, in: 'header', required: true, description, schema: Uid }) as const
const parameters = [
  header('X-App-Id', 'The uid of the game.'),
  header('X-Build-Id', 'The build_id of one of its builds.'),
]

export function ingestRoutes(kit: HttpKit, deps: Deps) {
  const { trustProxy } = deps.config
  const findSender = createSenderFinder(deps.db)
  const quota = new EventQuota(deps)
  const writer = new EventWriter(deps.db, quota)
  const senders = new WeakMap<Request, Sender>()
  const hashNetwork = createNetworkHash(deps.keyring)

  return createRoutes(kit, { name: 'ingest', prefix: '/api/v1/public', tags: ['Ingest'] })
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
        summary: 'Send events of a running game; heartbeats of a player count as play time',
        fails: 'not_a_game',
        detail: { parameters },
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
        summary: 'Send a crash report',
        fails: 'not_a_game',
        detail: { parameters },
      },
    )
}

/** Returns after everything is committed. */
async function acceptEvents(
  { db }: Pick<Deps, 'db'>,
  writer: EventWriter,
  sender: Sender,
  visitor: Anonymous | Player,
  { events }: GameEvents,
  now: number,
): Promise<Accepted> {
  const rows = events.map((event, index) => toRow(sender, event, index, now))
  await writer.write(sender, rows)
  const beats = rows
    .filter(({ name }) => name === 'heartbeat')
    .map(({ deviceId, sessionId, at }) => ({ session: `${deviceId} ${sessionId}`, at }))
  if (visitor.kind === 'player' && beats.length > 0) {
    await creditPlayTime(db, visitor.userUid, sender.gameUid, beats, now)
  }
  return { accepted: events.length }
}

/** Checked before the body is validated, because too many events have a code of their own. */
function refuseTooMany(body: unknown): void {
  const events = fieldOf(body, 'events')
  if (!Array.isArray(events)) return
  if (events.length > EVENTS_MAX) {
    const fault = `must have at most ${EVENTS_MAX} entries, not ${events.length}. Split the request.`
    throw invalidField('events', fault, { kind: 'too_large' })
  }
  for (const [index, event] of events.entries()) {
    const metadata = fieldOf(event, 'metadata')
    const keys = typeof metadata === 'object' && metadata !== null ? Object.keys(metadata).length : 0
    if (keys > METADATA_KEYS_MAX) {
      const fault = `must have at most ${METADATA_KEYS_MAX} keys, not ${keys}.`
      throw invalidField(`events.${index}.metadata`, fault, { kind: 'too_large' })
    }
  }
}

function fieldOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function toRow({ buildUid, network }: Sender, event: GameEvent, index: number, now: number): EventRow {
  const { name, device_id: deviceId, session_id: sessionId, metadata } = event
  const time = parseSentTime(event.at, now)
  if (!time) throw invalidField(`events.${index}.at`, 'must be a time such as 2026-01-31T12:00:00.000Z.')
  // Uses the time as sent: a repeated event would be clamped to another time.
  const identity = `${buildUid}\0${deviceId}\0${sessionId}\0${name}\0${time.sentAt}`
  return {
    buildUid,
    deviceId,
    sessionId,
    name,
    at: time.at,
    key: BigInt.asIntN(64, Bun.hash.xxHash3(identity)).toString(),
    metadata: metadata === undefined ? null : JSON.stringify(metadata),
    network,
  }
}
