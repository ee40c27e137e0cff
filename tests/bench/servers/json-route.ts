import { Elysia } from 'elysia'

import { createApp } from '../../../src/app.ts'
import { createContext } from '../../../src/commands/context.ts'
import { completeConfig, parseConfig } from '../../../src/config/config.ts'
import { createDeps } from '../../../src/deps.ts'
import { NOTHING_FOLLOWED } from '../../../src/domain/follows.ts'
import { createAccountCache } from '../../../src/features/accounts/account-cache.ts'
import { createCredentials } from '../../../src/features/accounts/sessions/credentials.ts'
import { sessionSource } from '../../../src/features/accounts/sessions/sessions.ts'
import { openAuthLater } from '../../../src/features/accounts/sign-in/open-auth.ts'
import { gameKeySources } from '../../../src/features/extstore/sign-in/credentials.ts'
import { createSignIn } from '../../../src/features/extstore/sign-in/service.ts'
import { listingSource } from '../../../src/features/games/service.ts'
import { createRecentRequests } from '../../../src/features/operate/status/recent-requests.ts'
import { saveVisitSource } from '../../../src/features/saves/access/visits.ts'
import { settingsOf } from '../../../src/features/settings/reader.ts'
import { Envelope, ok } from '../../../src/http/input/schema.ts'
import { createHttpKit } from '../../../src/http/kit.ts'
import { createHandler } from '../../../src/http/server/handler.ts'
import { listen } from '../../../src/http/server/server.ts'
import { describeScore, Score, ScoreView, TOP_SCORE } from './score.ts'

/** Starts the whole program like `serve`, with two more routes that use every feature of a public route. */
const { parsed, log } = createContext(parseConfig(process.env))
const { databaseUrl, secretKey } = parsed
if (databaseUrl === null || secretKey === null) throw new Error('DATABASE_URL and SECRET_KEY must be set')
const listener = listen({ host: parsed.host, port: parsed.port, log })
const { isStopping } = listener
const deps = await createDeps(completeConfig(parsed, { port: listener.port, databaseUrl, secretKey }), log)
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

const scores = new Elysia({ name: 'scores', prefix: '/api/v1/public' })
  .use(kit)
  .post('/scores', ({ actor, body }) => ok(describeScore(body, actor.kind)), {
    visitor: true,
    limit: 'search',
    body: Score,
    response: Envelope(ScoreView),
  })
  .get('/scores', () => ok(TOP_SCORE), {
    visitor: true,
    limit: 'search',
    cache: { maxAge: 5 },
    response: Envelope(ScoreView),
  })
const composed = await createApp(deps, { isStopping, isStuck: () => false, recent: createRecentRequests() })
const app = composed.app.use(scores)
listener.attach(createHandler(app, { log, isStopping }))
app.server = listener.server
