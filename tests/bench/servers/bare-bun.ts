/** A minimal server for /health; the harness provides the bytes, so that both send the same. */
const answer: unknown = JSON.parse(process.env.ANSWER ?? '{}')

Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env.PORT),
  development: false,
  fetch: () => Response.json(answer),
})
