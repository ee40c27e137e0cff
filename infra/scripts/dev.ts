import { join } from 'node:path'

import { serveExtStoreDouble } from '../../tests/helpers/ext-store-double/serve.ts'

const ROOT = join(import.meta.dir, '../..')
const STORE_DOUBLE = '--store-double'

/** Watch mode: `bun run dev`. With `--store-double` an external store to try sign-in and import with comes along. */
const given = process.argv.slice(2)
const double = given.includes(STORE_DOUBLE) ? await serveExtStoreDouble() : null
const options = given.filter((option) => option !== STORE_DOUBLE)
const server = Bun.spawn([process.execPath, '--watch', join(ROOT, 'src/main.ts'), 'up', ...options], {
  env: { ...process.env, ...double?.env },
  stdio: ['inherit', 'inherit', 'inherit'],
})
// Ctrl-C reaches the server too, which leaves in its own time.
process.on('SIGINT', () => undefined)
process.on('SIGTERM', () => server.kill('SIGTERM'))
const code = await server.exited
await double?.stop()
process.exit(code)
