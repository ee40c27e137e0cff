import { Elysia } from 'elysia'

/** Answers what the harness tells, to POST after reading the body as JSON, without anything in between. */
const answer = JSON.parse(process.env.ANSWER ?? '{}') as object

new Elysia()
  .get('/', () => answer)
  .post('/', ({ body }) => (body === undefined ? {} : answer))
  .listen({ hostname: '127.0.0.1', port: Number(process.env.PORT) })
