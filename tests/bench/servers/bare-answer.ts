import { Elysia } from 'elysia'

/** One route that answers what the harness tells, without anything in between. */
const answer = JSON.parse(process.env.ANSWER ?? '{}') as object

new Elysia().get('/', () => answer).listen({ hostname: '127.0.0.1', port: Number(process.env.PORT) })
