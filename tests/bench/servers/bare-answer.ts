import { Elysia } from 'elysia'

/** Returns the harness's response with no other work, except that POST parses the body as JSON. */
const answer = JSON.parse(process.env.ANSWER ?? '{}') as object

new Elysia()
  .get('/', () => answer)
  .post('/', ({ body }) => (body === undefined ? {} : answer))
  .listen({ hostname: '127.0.0.1', port: Number(process.env.PORT) })
