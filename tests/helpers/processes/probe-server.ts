import { Elysia, t } from 'elysia'

import { createDeps } from '../../../src/deps.ts'
import { NOTHING_FOLLOWED } from '../../../src/domain/follows.ts'
import { createAccountCache } from '../../../src/features/accounts/account-cache.ts'
import { createCredentials } from '../../../src/features/accounts/sessions/credentials.ts'
import { sessionSource } from '../../../src/features/accounts/sessions/sessions.ts'
import { openAuthLater } from '../../../src/features/accounts/sign-in/open-auth.ts'
import { gameKeySources } from '../../../src/features/extstore/sign-in/credentials.ts'
import { createSignIn } from '../../../src/features/extstore/sign-in/service.ts'
import { listingSource } from '../../../src/features/games/service.ts'
import { saveVisitSource } from '../../../src/features/saves/access/visits.ts'
import { settingsOf } from '../../../src/features/settings/reader.ts'
import { createBase } from '../../../src/http/base.ts'
import { Envelope, ok } from '../../../src/http/input/schema.ts'
import { createHttpKit } from '../../../src/http/kit.ts'
import { createHandler } from '../../../src/http/server/handler.ts'
import { listen } from '../../../src/http/server/server.ts'
import { createLogger } from '../../../src/lib/log.ts'
import { failurePages } from '../../../src/site/kit/error-page.tsx'
import type { TestServer } from '../server.ts'

export interface ProbeServer {
  url: string
  fetch(path: string, init?: RequestInit): Promise<Response>
  stop(): Promise<void>
}

/** Starts a second server on the same data, with one route for each option a route can declare. */
export async function startProbeServer(
  server: TestServer,
  logTo?: (line: string) => void,
): Promise<ProbeServer> {
  const log = createLogger({
    level: logTo ? 'info' : 'silent',
    pretty: false,
    ...(logTo ? { write: logTo } : {}),
  })
  const deps = await createDeps(server.deps.config, log)
  const cache = await createAccountCache(deps)
  const kit = createHttpKit(deps, {
    ...createCredentials(deps, cache),
    ...sessionSource(deps, openAuthLater(deps), cache),
    ...gameKeySources(createSignIn(deps)),
    ...saveVisitSource(deps.keyring),
    ...listingSource(deps.db),
    secondFactorPolicy: async () => 'optional',
    storefront: () => settingsOf(deps).storefront(),
    readFollowed: async () => NOTHING_FOLLOWED,
    hasJams: () => false,
    countUnread: async () => 0,
  })
  const Item = t.Object({ name: t.String({ maxLength: 5 }) }, { additionalProperties: false })

  const app = new Elysia({ normalize: false })
    .use(
      createBase(
        deps,
        failurePages(
          deps.config.baseUrl,
          () => settingsOf(deps).storefront(),
          () => false,
        ),
      ),
    )
    .use(
      new Elysia()
        .use(kit)
        .get('/api/v1/public/probe', ({ actor }) => ok(actor), { visitor: true })
        .get('/api/v1/public/bugs', ({ actor }) => ok(actor), { player: 'player:bugs' })
        .get('/api/v1/public/cached', ({ actor }) => ok({ kind: actor.kind }), {
          visitor: true,
          cache: { maxAge: 5 },
        })
        .get('/api/v1/public/limited', () => ok({}), { limit: 'press_zip', visitor: true })
        .post('/api/v1/public/limited', ({ body }) => ok(body), {
          limit: 'press_zip',
          visitor: true,
          body: Item,
        })
        .get('/api/v1/public/limited-twice', () => ok({}), {
          limit: ['search', 'press_page_zip'],
          visitor: true,
        })
        .post('/api/v1/private/probe', ({ actor, body }) => ok({ actor, body }), {
          website: true,
          body: Item,
        })
        .get('/api/v1/private/agents', ({ actor }) => ok(actor), { websiteOrAgent: 'mcp:builds.read' })
        .post('/api/v1/private/players', ({ actor }) => ok(actor), { websiteOrPlayer: 'player:library' })
        .post('/api/v1/tool/probe', ({ actor }) => ok(actor), { deployKey: true })
        .get('/api/v1/tool/limited', ({ actor }) => ok(actor), { deployKey: true, limit: 'upload' })
        .get('/api/v1/extstore/:game_uid/server/probe', ({ actor }) => ok(actor), { gameServer: true })
        .get('/crash', () => crash(), { open: true })
        .get('/wrong-answer', () => answerOf('a secret answer'), {
          open: true,
          response: Envelope(t.Object({ n: t.Number() })),
        }),
    )
  const listener = listen({ host: '127.0.0.1', port: 0, log })
  listener.attach(createHandler(app, { log, isStopping: listener.isStopping }))
  app.server = listener.server
  const url = `http://127.0.0.1:${listener.port}`
  return {
    url,
    fetch: (path, init) => fetch(url + path, { redirect: 'manual', ...init }),
    async stop() {
      await listener.stop()
      await deps.dispose()
    },
  }
}

function crash(): never {
  throw new Error('secret detail: Bearer svc_play_abcdefghijk')
}

function answerOf(n: unknown) {
  return ok({ n: n as number })
}
