import { join } from 'node:path'

import { ENGINE_NAMES, type EngineName } from './install.ts'

const ROOT = join(import.meta.dir, '../../..')
const TESTS = join(ROOT, 'tests/')

/** What a file that needs the engine contains: the variable with its address, or the import of its helper. */
const SIGNS: Readonly<Record<EngineName, RegExp>> = {
  postgres: /TEST_DATABASE_URL/,
  redis: /TEST_REDIS_URL/,
  s3: /TEST_S3_URL/,
  clamd: /TEST_CLAMD_URL|engines\/clamd\.ts/,
  meilisearch: /TEST_MEILI_URL/,
  browser: /\/browser\.ts'/,
  firefox: /engines\/firefox\.ts/,
  webkit: /engines\/webkit\.ts/,
  python: /engines\/python\.ts/,
  godot: /engines\/godot\.ts/,
  haproxy: /engines\/haproxy\.ts/,
  archivers: /engines\/archivers\.ts/,
  // Used by benchmarks only, not by tests.
  nginx: /TEST_NGINX[_]URL/,
  deltas: /engines\/deltas\.ts/,
}

const TRANSPILERS = {
  ts: new Bun.Transpiler({ loader: 'ts' }),
  tsx: new Bun.Transpiler({ loader: 'tsx' }),
}

/** The test files that `bun test` runs for these arguments: those whose path contains one of them. */
export async function findTestFiles(args: readonly string[]): Promise<string[]> {
  const wanted = args.filter((arg) => !arg.startsWith('-')).map((arg) => arg.replace(/^\.\//, ''))
  const files = await Array.fromAsync(new Bun.Glob('tests/**/*.test.{ts,tsx}').scan({ cwd: ROOT }))
  return files.filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part))).sort()
}

/** Engines that these files need, by what they and the files they import contain, except those that start engines. */
export async function findNeededEngines(files: readonly string[]): Promise<EngineName[]> {
  const needed = new Set<EngineName>()
  const seen = new Set<string>()
  const pending = files.map((file) => join(ROOT, file))
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (seen.has(path) || path.startsWith(`${import.meta.dir}/`)) continue
    seen.add(path)
    const text = await Bun.file(path).text()
    for (const name of ENGINE_NAMES) if (SIGNS[name].test(text)) needed.add(name)
    for (const imported of TRANSPILERS[path.endsWith('x') ? 'tsx' : 'ts'].scanImports(text)) {
      const file = join(path, '..', imported.path)
      if (imported.path.startsWith('.') && file.startsWith(TESTS) && /\.tsx?$/.test(file)) pending.push(file)
    }
  }
  return ENGINE_NAMES.filter((name) => needed.has(name))
}
