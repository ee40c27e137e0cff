import { join } from 'node:path'

import { serveExtStoreDouble } from '../../tests/helpers/ext-store-double/serve.ts'
import { serveStripeDouble } from '../../tests/helpers/stripe-double/serve.ts'

const ROOT = join(import.meta.dir, '../..')
const STORE_DOUBLE = '--store-double'
const PAYMENTS_DOUBLE = '--payments-double'

/**
 * Watch mode: `bun run dev`. With `--store-double` an external store to try sign-in and import with comes along, with
 * `--payments-double` a stand-in for Stripe.
 */
const given = process.argv.slice(2)
const address = process.env.BASE_URL ?? `http://localhost:${process.env.PORT ?? 8080}`
const doubles = [
  ...(given.includes(STORE_DOUBLE) ? [await serveExtStoreDouble()] : []),
  ...(given.includes(PAYMENTS_DOUBLE)
    ? [await serveStripeDouble(address, process.env.DATA_DIR ?? './.data')]
    : []),
]
const options = given.filter((option) => option !== STORE_DOUBLE && option !== PAYMENTS_DOUBLE)
const server = Bun.spawn([process.execPath, '--watch', join(ROOT, 'src/main.ts'), 'up', ...options], {
  env: Object.assign({}, process.env, ...doubles.map(({ env }) => env)),
  stdio: ['inherit', 'inherit', 'inherit'],
})
// Ctrl-C reaches the server too, which leaves in its own time.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => server.kill('SIGTERM'))
const code = await server.exited
await Promise.all(doubles.map((double) => double.stop()))
process.exit(code)
