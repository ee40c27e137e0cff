import { Elysia } from 'elysia'

import { describeScore, type Score, TOP_SCORE } from './score.ts'

/** The same responses as `json-route.ts` without authentication, rate limits or validation. */
new Elysia()
  .post('/scores', ({ body }) => ({ success: true, data: describeScore(body as Score, null) }))
  .get('/scores', () => ({ success: true, data: TOP_SCORE }))
  .listen({ hostname: '127.0.0.1', port: Number(process.env.PORT) })
