import { describe, expect, test } from 'bun:test'
import { dirname, join, relative } from 'node:path'

const SRC = join(import.meta.dir, '../../src')
const MAX_LINES = 250

interface SourceFile {
  path: string
  text: string
  imports: { target: string; isLocal: boolean }[]
}

/** Imports only go to a lower or equal layer. The first rule that matches names a file's layer. */
const LAYERS: readonly [pattern: RegExp, layer: number, name: string][] = [
  [/^(lib\/|errors\.ts$)/, 0, 'lib'],
  [/^(db|clients)\//, 1, 'db and clients'],
  [/^(config|config-services|secret-key|deps)\.ts$/, 2, 'config and deps'],
  [/^jobs\/(define|queue|handler|liveness|runner)\.ts$/, 3, 'jobs core'],
  [/^http\//, 3, 'http'],
  [/^features\/[^/]+\/([a-z-]*(model|queries)|jobs|mails)\.ts$/, 4, 'model, queries and job declarations'],
  [/^features\/[^/]+\/([a-z-]*routes|worker)\.tsx?$/, 6, 'routes and workers'],
  [/^features\//, 5, 'services'],
  [/^site\//, 6, 'site'],
  [/^(text-files\.d|production)\.ts$/, 0, 'types of text imports, the mode of libraries'],
  [/^(app\.ts$|jobs\/)/, 7, 'app and job registry'],
  [/^commands\//, 8, 'commands'],
  [/^main\.ts$/, 9, 'main'],
  [/^cli\//, 9, 'cli'],
]

/** Who may use a package directly. */
const PACKAGES: readonly [name: RegExp, allowed: RegExp][] = [
  [/^drizzle-orm/, /^(db\/|jobs\/queue\.ts$|features\/[^/]+\/[a-z-]*queries\.ts$)/],
  [/^elysia$/, /^(http\/|site\/|app\.ts$|features\/[^/]+\/[a-z-]*(model|routes)\.ts$)/],
  [/^postgres$/, /^(db\/|jobs\/liveness\.ts$)/],
  [/^graphile-worker$/, /^(jobs\/runner\.ts$|db\/migrate\.ts$)/],
]

const files = await readSources()

describe('architecture', () => {
  test('there are sources to judge', () => {
    expect(files.length).toBeGreaterThan(50)
  })

  test('every file belongs to a layer', () => {
    expect(files.filter((file) => layerOf(file.path) === null).map((file) => file.path)).toEqual([])
  })

  test('imports only go downwards', () => {
    const breaches = files.flatMap((file) =>
      file.imports
        .filter(
          ({ target, isLocal }) => isLocal && !target.startsWith('..') && rank(target) > rank(file.path),
        )
        .map(({ target }) => `${file.path} (${nameOf(file.path)}) imports ${target} (${nameOf(target)})`),
    )
    expect(breaches).toEqual([])
  })

  test('packages stay where they belong', () => {
    const breaches = files.flatMap((file) =>
      file.imports
        .filter(
          ({ target, isLocal }) =>
            !isLocal && PACKAGES.some(([name, allowed]) => name.test(target) && !allowed.test(file.path)),
        )
        .map(({ target }) => `${file.path} imports ${target}`),
    )
    expect(breaches).toEqual([])
  })

  test('features meet through services and job declarations, without circles', () => {
    const edges = new Map<string, Set<string>>()
    const breaches: string[] = []
    for (const file of files) {
      const own = featureOf(file.path)
      if (!own) continue
      for (const { target } of file.imports) {
        const other = featureOf(target)
        if (!other || other === own) continue
        if (!/\/(service|jobs|model)\.ts$/.test(target)) breaches.push(`${file.path} imports ${target}`)
        edges.set(own, (edges.get(own) ?? new Set()).add(other))
      }
    }
    expect(breaches).toEqual([])
    expect([...edges.keys()].filter((feature) => reaches(edges, feature, feature))).toEqual([])
  })

  test('the command-line uploader stands on lib, errors and models alone', () => {
    const breaches = files.flatMap((file) =>
      file.path.startsWith('cli/')
        ? file.imports
            .filter(
              ({ target, isLocal }) =>
                isLocal && !/^(cli\/|lib\/|errors\.ts|features\/[^/]+\/model\.ts)/.test(target),
            )
            .map(({ target }) => `${file.path} imports ${target}`)
        : [],
    )
    expect(breaches).toEqual([])
  })

  test('the environment is read in one place', () => {
    const readers = files.filter((file) => /process\.env|Bun\.env|import\.meta\.env/.test(file.text))
    // The second one only writes.
    expect(readers.map((file) => file.path)).toEqual(['main.ts', 'production.ts'])
  })

  test('the mode of libraries is set before any of them is loaded', () => {
    expect(files.find((file) => file.path === 'main.ts')?.imports[0]?.target).toBe('production.ts')
  })

  test('JSON that is not our own is parsed in one place, with limits', () => {
    const ours = /^(lib\/json|http\/openapi\/\w+|db\/migrate|features\/accounts\/credentials)\.ts$/
    const parsers = files.filter(
      (file) => /JSON\.parse\(|\.json\(\)/.test(file.text) && !ours.test(file.path),
    )
    expect(parsers.map((file) => file.path)).toEqual([])
  })

  test(`no file is longer than ${MAX_LINES} lines`, () => {
    const long = files.filter((file) => file.text.split('\n').length - 1 > MAX_LINES)
    expect(long.map((file) => file.path)).toEqual([])
  })

  test('no file is only there to pass on others', () => {
    const barrels = files.filter(
      (file) => /(^|\/)index\.tsx?$/.test(file.path) || /^export \* from/m.test(file.text),
    )
    expect(barrels.map((file) => file.path)).toEqual([])
  })
})

async function readSources(): Promise<SourceFile[]> {
  const paths = await Array.fromAsync(new Bun.Glob('**/*.{ts,tsx}').scan(SRC))
  return await Promise.all(
    paths.sort().map(async (path) => {
      const text = await Bun.file(join(SRC, path)).text()
      const found = [...text.matchAll(/(?:from|import)\s*\(?\s*'([^']+)'/g)].flatMap(
        (match) => match[1] ?? [],
      )
      const imports = found.map((specifier) =>
        specifier.startsWith('.')
          ? { target: relative(SRC, join(SRC, dirname(path), specifier)), isLocal: true }
          : { target: specifier, isLocal: false },
      )
      return { path, text, imports }
    }),
  )
}

function layerOf(path: string): readonly [RegExp, number, string] | null {
  return LAYERS.find(([pattern]) => pattern.test(path)) ?? null
}

function rank(path: string): number {
  return layerOf(path)?.[1] ?? Number.POSITIVE_INFINITY
}

function nameOf(path: string): string {
  return layerOf(path)?.[2] ?? 'no layer'
}

function featureOf(path: string): string | null {
  return /^features\/([^/]+)\//.exec(path)?.[1] ?? null
}

function reaches(
  edges: Map<string, Set<string>>,
  from: string,
  goal: string,
  seen = new Set<string>(),
): boolean {
  for (const next of edges.get(from) ?? []) {
    if (next === goal) return true
    if (seen.has(next)) continue
    seen.add(next)
    if (reaches(edges, next, goal, seen)) return true
  }
  return false
}
